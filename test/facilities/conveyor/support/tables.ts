/** Items that go into a table: by any op, of any types that fit, beside a plain loop over the same items. */

import * as fc from "fast-check";
import * as assert from "uvu/assert";
import { conveyor } from "../../../../src/conveyor.ts";
import type { AccumulateOptions } from "../../../../src/facilities/conveyor/belts/accumulating.ts";
import { TABLE_OPS, type TableOp } from "../../../../src/facilities/conveyor/kernels/tables.ts";
import type { Columns } from "../../../../src/ground/item/columns.ts";
import {
  bytes,
  f32,
  f64,
  type ItemType,
  i8,
  i16,
  i32,
  i64,
  type ScalarName,
  struct,
  u8,
  u16,
  u32,
  u64,
} from "../../../../src/ground/item/item-type.ts";
import { ARRAYS, type TypedArray } from "../../../../src/ground/memory/kernels/elements.ts";
import type { Group } from "../../../../src/pe/group.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import { mix } from "./payloads.ts";
import type { Play, Seat } from "./seats.ts";

const SCALARS = { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 } as const;
const INDICES = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"] as const;
const ALL = Object.keys(SCALARS) as ScalarName[];

/** The types of tables that have all values of a type. */
export const WIDER: Readonly<Record<ScalarName, readonly ScalarName[]>> = {
  i8: ["i8", "i16", "i32", "f32", "f64"],
  u8: ["u8", "i16", "u16", "i32", "u32", "f32", "f64"],
  i16: ["i16", "i32", "f32", "f64"],
  u16: ["u16", "i32", "u32", "f32", "f64"],
  i32: ["i32", "f64"],
  u32: ["u32", "f64"],
  i64: ["i64"],
  u64: ["u64"],
  f32: ["f32", "f64"],
  f64: ["f64"],
};

export interface TableTrial {
  readonly op: TableOp;
  readonly index: (typeof INDICES)[number];
  readonly value: ScalarName;
  readonly table: ScalarName;
  /** What is around the two fields. */
  readonly shape: "scalar" | "pair" | "wide" | "nested";
  readonly length: number;
  readonly type: "tensor" | "simple" | "trivial";
  readonly hops: 1 | 2;
  readonly bufferBytes: number;
  readonly compress: boolean;
  readonly count: number;
  readonly seed: number;
}

export const tableTrials: fc.Arbitrary<TableTrial> = fc
  .record({
    op: fc.constantFrom(...TABLE_OPS),
    index: fc.constantFrom(...INDICES),
    value: fc.constantFrom(...ALL),
    shape: fc.constantFrom("scalar", "pair", "wide", "nested"),
    length: fc.integer({ min: 1, max: 100 }),
    type: fc.constantFrom("tensor", "tensor", "tensor", "simple", "trivial"),
    hops: fc.constantFrom(1, 2),
    bufferBytes: fc.constantFrom(64, 130, 700),
    compress: fc.boolean(),
    count: fc.oneof(fc.nat(20), fc.nat(300)),
    seed: fc.nat(),
  })
  .chain((trial) => {
    const isCount = trial.op === "count" || trial.shape === "scalar";
    return fc
      .constantFrom(...(isCount ? ALL : WIDER[trial.value]))
      .map((table): TableTrial => ({ ...trial, op: isCount ? "count" : trial.op, table }) as TableTrial);
  });

const optionsOf = ({ type, hops, bufferBytes, compress }: TableTrial): ConveyorOptions =>
  type === "tensor" ? { hops, bufferBytes, compress } : { type, bufferBytes };

const isBig = (type: ScalarName): boolean => type === "i64" || type === "u64";

/** A number as a value of a type: whole ones and halves, which any order adds up to the same. */
function valueAs(type: ScalarName, x: number): number | bigint {
  const small = type.startsWith("u") ? x % 50 : (x % 50) - 25;
  if (isBig(type)) return BigInt(small) * 0x1_0000_0001n;
  return type.startsWith("f") ? small / 2 : small;
}

interface Item {
  readonly type: ItemType;
  readonly options: AccumulateOptions;
  /** Columns as pushAll takes them. */
  columns(indices: readonly unknown[], values: readonly unknown[]): unknown;
}

/** An array of a type, filled. */
function filled(type: ScalarName, values: readonly unknown[]): TypedArray {
  const array = new ARRAYS[type](values.length);
  for (const [i, value] of values.entries()) (array as unknown as unknown[])[i] = value;
  return array;
}

function itemOf({ op, index, value, shape }: TableTrial): Item {
  const [Index, Value] = [SCALARS[index], SCALARS[value]] as readonly ItemType[];
  const noise = (bytesEach: number, count: number): Uint8Array => new Uint8Array(bytesEach * count).fill(0xa5);
  const isCount = op === "count";
  const named = (indexName: string, valueName: string): AccumulateOptions =>
    isCount ? { op, index: indexName } : { op, index: indexName, value: valueName };
  switch (shape) {
    case "scalar":
      return { type: Index, options: { op }, columns: (indices) => filled(index, indices) };
    case "pair":
      return {
        type: struct({ index: Index, value: Value }),
        options: named("index", "value"),
        columns: (indices, values) => ({ index: filled(index, indices), value: filled(value, values) }),
      };
    case "wide":
      return {
        type: struct({ a: bytes(3), v: Value, b: u8, i: Index, c: bytes(13) }),
        options: named("i", "v"),
        columns: (indices, values) => ({
          ...{ a: noise(3, values.length), b: noise(1, values.length), c: noise(13, values.length) },
          ...{ i: filled(index, indices), v: filled(value, values) },
        }),
      };
    default:
      return {
        type: struct({ key: struct({ n: u8, at: Index }), value: struct({ x: Value }) }),
        options: named("key.at", "value.x"),
        columns: (indices, values) => ({
          key: { n: noise(1, values.length), at: filled(index, indices) },
          value: { x: filled(value, values) },
        }),
      };
  }
}

/** Item i from a PE: where it goes, what it names, and its value; of a `replace` all items that name one element have the same. */
function itemAt({ index, value, op, length, seed }: TableTrial, pes: number, from: number, i: number) {
  const h = mix(seed, from, i);
  const slot = mix(h, 1) % length;
  const [n, x] = [slot, valueAs(value, op === "replace" ? mix(seed, slot) : mix(h, 2))];
  return { dest: h % pes, slot, index: isBig(index) ? BigInt(n) : n, value: x };
}

/** What a table is before a session: not the least and not the largest values. */
const atFirst = (type: ScalarName, i: number): number | bigint => valueAs(type, mix(i) % 20);

type Numbers = (number | bigint)[];

/** What one item does. */
function add(table: Numbers, op: TableOp, slot: number, value: number | bigint): void {
  const [old, one] = typeof table[slot] === "bigint" ? [table[slot], 1n] : [table[slot], 1];
  if (op === "count") table[slot] = ((old as number) + (one as number)) as number;
  else if (op === "sum") table[slot] = ((old as number) + (value as number)) as number;
  else if (op === "min") table[slot] = value < old ? value : old;
  else if (op === "max") table[slot] = value > old ? value : old;
  else table[slot] = value;
}

/** The table of a PE after a session, by a plain loop. */
function expectedAt(trial: TableTrial, pes: number, rank: number): TypedArray {
  const { table: type, length, count, op } = trial;
  const table = filled(
    type,
    Array.from({ length }, (_, i) => atFirst(type, i)),
  );
  for (let from = 0; from < pes; from++) {
    for (let i = 0; i < count; i++) {
      const { dest, slot, value } = itemAt(trial, pes, from, i);
      if (dest === rank) add(table as unknown as Numbers, op, slot, value);
    }
  }
  return table;
}

/** How items get into the table. */
export type Way = "accumulate" | "mixed";

/** Makes an array for a table. */
export type MakeTable = (type: ScalarName, length: number) => TypedArray;

/** The items of a PE, and its table before and after a session. */
function prepared(trial: TableTrial, { rank, size }: { rank: number; size: number }, make: MakeTable) {
  const { count, table: type, length } = trial;
  const items = Array.from({ length: count }, (_, i) => itemAt(trial, size, rank, i));
  const table = make(type, length) as unknown as Numbers;
  const expected = expectedAt(trial, size, rank);
  const reset = (): void => {
    for (let i = 0; i < length; i++) table[i] = atFirst(type, i);
  };
  const check = (): void => assert.equal([...(table as unknown as Uint8Array)], [...(expected as Uint8Array)]);
  return { items, table, reset, check };
}

/** Plays a trial, twice with one conveyor. */
export function* accumulate(pe: Seat, trial: TableTrial, way: Way, make: MakeTable): Play {
  const { count, op, seed } = trial;
  const { type: item, options, columns } = itemOf(trial);
  const { items, table, reset, check } = prepared(trial, pe, make);
  const dests = Uint32Array.from(items, ({ dest }) => dest);
  const indices = items.map(({ index }) => index);
  const values = items.map(({ value }) => value);
  const pushed = columns(indices, values) as Columns<ItemType>;
  const c = pe.conveyor(item, optionsOf(trial));
  let turn = 0;
  for (let session = 0; session < 2; session++) {
    reset();
    yield* c.begin();
    let come = 0;
    for (let i = 0; yield* c.advance(i === count); ) {
      i = c.pushAll(dests, pushed, i);
      come += c.accumulate(table as never, options);
      // some in between by hand
      if (way === "mixed" && mix(seed, pe.rank, ++turn) % 2 === 0 && c.pull()) {
        const [slot, value] = read(trial, c.item);
        add(table, op, slot, value);
        come++;
      }
    }
    const { pulls, unpulls } = c.stats();
    assert.is(come, pulls - unpulls);
    yield* c.reset();
    check();
  }
  c.free();
}

/** The same, each session in one call. */
export function accumulateByRun(group: Group, trial: TableTrial, make: MakeTable): void {
  const { shape } = trial;
  const { type, options } = itemOf(trial);
  const { items, table, reset, check } = prepared(trial, group, make);
  const c = conveyor(group, type, optionsOf(trial));
  const [three, thirteen] = [new Uint8Array(3), new Uint8Array(13)];
  for (let session = 0; session < 2; session++) {
    reset();
    c.run(
      (send) => {
        const push = send as (dest: number, ...values: unknown[]) => void;
        for (const { dest, index, value } of items) {
          if (shape === "scalar") push(dest, index);
          else if (shape === "pair") push(dest, index, value);
          else if (shape === "wide") push(dest, three, value, 1, index, thirteen);
          else push(dest, { n: 1, at: index }, { x: value });
        }
      },
      { table: table as never, ...options },
    );
    check();
  }
  c.free();
}

/** The slot and the value of an item. */
function read({ shape }: TableTrial, item: unknown): [slot: number, value: number | bigint] {
  const fields = item as Record<string, Record<string, number>> & Record<string, number>;
  if (shape === "scalar") return [Number(item), 0];
  if (shape === "pair") return [Number(fields.index), fields.value];
  if (shape === "wide") return [Number(fields.i), fields.v];
  return [Number(fields.key.at), fields.value.x];
}

/** What a PE has in its table for the others to ask for. */
const elementAt = ({ table, seed }: TableTrial, pe: number, slot: number): number | bigint =>
  valueAs(table, mix(seed, pe, slot, 3));

/** Plays a trial as queries that are answered by a table: by columns and one by one, twice with one biconveyor. */
export function* askTable(pe: Seat, trial: TableTrial, make: MakeTable): Play {
  const { count, table: type, length, seed, shape } = trial;
  const { type: query, options, columns } = itemOf(trial);
  const items = Array.from({ length: count }, (_, i) => itemAt(trial, pe.size, pe.rank, i));
  const dests = Uint32Array.from(items, ({ dest }) => dest);
  const indices = items.map(({ index }) => index);
  const asked = columns(
    indices,
    items.map(({ value }) => value),
  ) as Columns<ItemType>;
  const table = make(type, length) as unknown as Numbers;
  for (let i = 0; i < length; i++) table[i] = elementAt(trial, pe.rank, i);
  const answers = shape === "scalar" ? { table } : { table, index: options.index };
  const window = [2, 40, undefined][seed % 3];
  const c = pe.biconveyor(query, SCALARS[type], answers as never, { ...optionsOf(trial), window });
  let turn = 0;
  const luck = (n: number) => mix(seed, pe.rank, 7, ++turn) % n;
  for (let session = 0; session < 2; session++) {
    const come: unknown[] = [];
    yield* c.begin();
    for (let i = 0; yield* c.advance(i === count); ) {
      i = c.pushAll(dests, asked, i, Math.min(count, i + luck(60)));
      if (luck(2) === 0) while (c.pull()) come.push(c.item);
      for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
        come.push(...(batch.columns as unknown as Uint8Array));
      }
    }
    const { queries } = c.stats();
    assert.is(queries.unpulls, 0);
    yield* c.reset();
    const wanted = items.map(({ dest, slot }) => elementAt(trial, dest, slot));
    assert.equal(come, wanted);
  }
  c.free();
}

/** Records in append buffers: what is pushed by values and in columns, and what comes of it. */
import { appendBuffer, appendRecords, appendRecordsAsync } from "../../../../src/append.ts";
import {
  bytes,
  f64,
  type ItemType,
  i64,
  type PE,
  type Spmd,
  spmd,
  struct,
  u8,
  u16,
  u32,
} from "../../../../src/index.ts";
import { mix } from "../../conveyor/support/payloads.ts";

/** Types of records: scalars, strings of bytes, structs with padding and in each other. */
const ITEMS = {
  f64,
  u8,
  i64,
  "bytes(3)": bytes(3),
  edge: struct({ from: u32, to: u32 }),
  padded: struct({ kind: u8, value: f64, key: bytes(3), at: u16 }),
  nested: struct({ where: struct({ x: u16, y: u32 }), weight: f64 }),
} as const satisfies Readonly<Record<string, ItemType>>;
type Name = keyof typeof ITEMS;

/** Record i of a writer, as the arguments of push. */
function valuesOf(name: Name, writer: number, i: number): readonly unknown[] {
  const n = mix(writer, i) % 60_000;
  const key = Uint8Array.of(writer, i & 0xff, n & 0xff);
  switch (name) {
    case "f64":
      return [n + 0.5];
    case "u8":
      return [n & 0xff];
    case "i64":
      return [-BigInt(n)];
    case "bytes(3)":
      return [key];
    case "edge":
      return [writer, n];
    case "padded":
      return [writer, n / 4, key, i];
    default:
      return [{ x: writer, y: n }, n + 0.25];
  }
}

/** The same as text. */
const textOf = (values: readonly unknown[]): string => JSON.stringify(values, (_, x) => plain(x));
const plain = (x: unknown): unknown =>
  typeof x === "bigint" ? `${x}n` : ArrayBuffer.isView(x) ? [...(x as Uint8Array)] : x;

/** The columns of a writer's records. */
function columnsOf(name: Name, writer: number, count: number): unknown {
  const rows = Array.from({ length: count }, (_, i) => valuesOf(name, writer, i));
  const numbers = (k: number, of: (x: unknown) => unknown = (x) => x) => rows.map((row) => of(row[k]));
  const flat = (k: number) => Uint8Array.from(rows.flatMap((row) => [...(row[k] as Uint8Array)]));
  switch (name) {
    case "f64":
      return Float64Array.from(numbers(0) as number[]);
    case "u8":
      return Uint8Array.from(numbers(0) as number[]);
    case "i64":
      return BigInt64Array.from(numbers(0) as bigint[]);
    case "bytes(3)":
      return flat(0);
    case "edge":
      return { from: Uint32Array.from(numbers(0) as number[]), to: Uint32Array.from(numbers(1) as number[]) };
    case "padded":
      return {
        kind: Uint8Array.from(numbers(0) as number[]),
        value: Float64Array.from(numbers(1) as number[]),
        key: flat(2),
        at: Uint16Array.from(numbers(3) as number[]),
      };
    default: {
      const where = (part: "x" | "y") => numbers(0, (x) => (x as { x: number; y: number })[part]) as number[];
      return {
        where: { x: Uint16Array.from(where("x")), y: Uint32Array.from(where("y")) },
        weight: Float64Array.from(numbers(1) as number[]),
      };
    }
  }
}

/** A record that was read, as the arguments of push. */
function readAs(name: Name, record: unknown): readonly unknown[] {
  const struct = record as Record<string, unknown>;
  switch (name) {
    case "edge":
      return [struct.from, struct.to];
    case "padded":
      return [struct.kind, struct.value, struct.key, struct.at];
    case "nested": {
      const { x, y } = struct.where as { x: number; y: number };
      return [{ x, y }, struct.weight];
    }
    default:
      return [record];
  }
}

/** Element i of columns, as the arguments of push. */
function columnsAs(name: Name, columns: unknown, i: number): readonly unknown[] {
  const of = columns as Record<string, Float64Array>;
  const string = (array: unknown) => (array as Uint8Array).slice(3 * i, 3 * i + 3);
  switch (name) {
    case "bytes(3)":
      return [string(columns)];
    case "edge":
      return [of.from[i], of.to[i]];
    case "padded":
      return [of.kind[i], of.value[i], string(of.key), of.at[i]];
    case "nested": {
      const { x, y } = of.where as unknown as { x: Uint16Array; y: Uint32Array };
      return [{ x: x[i], y: y[i] }, of.weight[i]];
    }
    default:
      return [(columns as Float64Array)[i]];
  }
}

const COUNT = 40;

/** Pushes each record once, half of them in columns, to the next PE; compares what has come. @returns what is wrong */
async function play(pe: PE, name: Name, isAsync: boolean): Promise<string[]> {
  const item: ItemType = ITEMS[name];
  const a = isAsync ? await appendRecordsAsync(pe, item, COUNT) : appendRecords(pe, item, COUNT);
  const next = (pe.rank + 1) % pe.size;
  const half = COUNT / 2;
  for (let i = 0; i < half; i++) {
    const values = valuesOf(name, pe.rank, i) as never;
    const taken = isAsync ? await a.pushAsync(next, ...(values as [never])) : a.push(next, ...(values as [never]));
    if (taken !== 1) return [`push took ${taken}`];
  }
  const columns = columnsOf(name, pe.rank, COUNT) as never;
  const taken = isAsync ? await a.pushAllAsync(next, columns, half) : a.pushAll(next, columns, half);
  const target = { records: COUNT, messages: half + 1 };
  if (isAsync) await a.waitUntilAsync(target);
  else a.waitUntil(target);
  const from = (pe.rank + pe.size - 1) % pe.size;
  // there is one writer, whose blocking pushes come in order
  const sent = Array.from({ length: COUNT }, (_, i) => textOf(valuesOf(name, from, i)));
  const got = Array.from({ length: COUNT }, (_, i) => textOf(readAs(name, a.at(i))));
  const all = a.columns();
  const read = Array.from({ length: COUNT }, (_, i) => textOf(columnsAs(name, all, i)));
  const wrong = sent.flatMap((text, i) =>
    text === got[i] && text === read[i] ? [] : [`${text} ${got[i]} ${read[i]}`],
  );
  if (taken !== half || a.offset !== COUNT || a.completed !== COUNT || a.length !== COUNT) wrong.push("counts");
  if (isAsync) await pe.barrierAsync();
  else pe.barrier();
  a.free();
  return wrong;
}

/** Begins pushes of values and of columns to the next PE, and changes both before they are complete. @returns what is wrong */
function started(pe: PE): string[] {
  const count = 30;
  using a = appendRecords(pe, ITEMS.edge, count);
  const next = (pe.rank + 1) % pe.size;
  const columns = {
    from: new Uint32Array(10).fill(pe.rank),
    to: Uint32Array.from({ length: 10 }, (_, i) => 20 + i),
  };
  const pushes = Array.from({ length: 20 }, (_, i) => a.pushStart(next, pe.rank, i));
  pushes.push(a.pushAllStart(next, columns));
  columns.to.fill(0);
  a.sync();
  const taken = pushes.map((push) => (push.test() ? push.wait() : -1));
  pe.barrier();
  const { from, to } = a.columns();
  const before = (pe.rank + pe.size - 1) % pe.size;
  const wrong: string[] = [];
  if (String(taken) !== String([...new Array(20).fill(1), 10])) wrong.push(`taken ${taken}`);
  if (from.some((writer) => writer !== before)) wrong.push(`from ${from}`);
  if (String(to.toSorted((x, y) => x - y)) !== String(Array.from({ length: count }, (_, i) => i)))
    wrong.push(`to ${to}`);
  pe.barrier();
  const full = thrown(() => a.pushAllStart(next, columns).wait());
  if (!/^pushAllStart: the append buffer of PE \d has no room for 10 records: 0 of 30 are left/.test(full))
    wrong.push(full);
  pe.barrier();
  return wrong;
}

function thrown(call: () => unknown): string {
  try {
    return `nothing, but ${String(call())}`;
  } catch (error) {
    return (error as Error).message;
  }
}

function misuse(pe: PE): string[] {
  using a = appendRecords(pe, ITEMS.edge, 3);
  using t = appendRecords(pe, ITEMS.edge, 3, { overflow: "truncate" });
  const edges = { from: Uint32Array.of(1, 2, 3, 4, 5), to: Uint32Array.of(6, 7, 8, 9, 10) };
  const push = a.push.bind(a) as (...args: unknown[]) => unknown;
  const said = [
    thrown(() => push(pe.rank, 1)),
    thrown(() => push(pe.rank, 1, "2")),
    thrown(() => push(pe.rank, 1, 2, 3)),
    thrown(() => a.pushAll(pe.rank, { from: edges.from } as never)),
    thrown(() => a.pushAll(pe.rank, edges, 0, 6)),
    thrown(() => a.pushAll(pe.rank, edges, 3, 2)),
    thrown(() => a.pushAll(pe.rank, edges)),
    thrown(() => a.at(0)),
    String(t.pushAll(pe.rank, edges)),
    String(t.push(pe.rank, 1, 2)),
    String([t.offset, t.at(2).from, t.at(2).to]),
    thrown(() => appendRecords(pe, "u32" as never, 3)),
    thrown(() => appendRecords(pe, f64, -1)),
    thrown(() => a.waitUntil({ bytes: 3 } as never)),
    thrown(() => a.waitUntil({ records: 4 })),
    thrown(() => appendRecords(pe, pe.rank === 0 ? f64 : i64, 3)),
  ];
  return said;
}

interface Args {
  readonly isAsync?: boolean;
  /** One PE makes a buffer of bytes. */
  readonly isMixed?: boolean;
}

const program: Spmd = spmd(async (pe: PE, { isAsync = false, isMixed = false }: Args) => {
  if (isMixed) return pe.rank === 0 ? appendBuffer(pe, 8) : appendRecords(pe, f64, 1);
  const wrong: string[] = [];
  for (const name of Object.keys(ITEMS) as Name[]) {
    for (const one of await play(pe, name, isAsync)) wrong.push(`${name}: ${one}`);
  }
  if (!isAsync) wrong.push(...started(pe));
  return { wrong, said: isAsync ? [] : misuse(pe) };
});
export default program;

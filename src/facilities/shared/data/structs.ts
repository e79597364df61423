/**
 * Arrays of structs that all PEs of a node see, stored field by field (ground/item/columns.ts): loops over one field
 * read that alone.
 */
import { UsageError } from "../../../ground/base/errors.ts";
import { define } from "../../../ground/base/objects/define.ts";
import { type OptionField, optionsOf, text } from "../../../ground/base/options.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import {
  type ColumnArray,
  type Columns,
  columnKind,
  columnsIn,
  type ItemLane,
  lanesOf,
  treeOf,
} from "../../../ground/item/columns.ts";
import {
  describeItem,
  type Fields,
  type ItemType,
  type ItemValue,
  isItemType,
  roundUp,
  type Struct,
} from "../../../ground/item/item-type.ts";
import { LINE } from "../../../ground/memory/heap-layout.ts";
import { ARRAYS } from "../../../ground/memory/kernels/elements.ts";
import type { Group } from "../../../pe/group.ts";
import { type SharedBlock, type SharedOptions, sharedBlock } from "../block.ts";
import { arraysText } from "./over.ts";

export const DATA_OPTIONS: OptionField = optionsOf<SharedOptions>({ name: text() });

/** A struct of an array as its accessor has it: its fields are read and written in place. */
export type StructView<F> = {
  -readonly [Name in keyof F]: F[Name] extends Struct<infer Inner>
    ? StructView<Inner>
    : F[Name] extends ItemType
      ? ItemValue<F[Name]>
      : never;
};

/** An array of structs in the heap, made by {@link sharedStructs}. */
export interface SharedStructs<F extends Fields> {
  readonly length: number;
  /** A typed array for each field, in the heap. They are those of all PEs. */
  readonly columns: Columns<Struct<F>>;
  /**
   * The struct at an index: one object, reused by each call of this PE.
   * @throws UsageError for an index that is not there
   */
  at(index: number): StructView<F>;
  /** This PE uses it no more; when all have left, the heap gets its memory back. */
  leave(): void;
}

/** Where the columns of `n` items begin, each in a line of its own, and where the last one ends. */
function placesOf(lanes: readonly ItemLane[], n: number): number[] {
  const places = [0];
  for (const { type } of lanes) places.push((places.at(-1) as number) + roundUp(type.bytes * n, LINE));
  return places;
}

/**
 * Makes an array of structs that the PEs of a group share, all of one node; zero at first. Collective: all its PEs make
 * it with the same type and length. It waits for nobody if the heap has room. One that is larger than the heap lies
 * beside it: making it waits for all.
 *
 *     const bodies = sharedStructs(pe, struct({ x: f64, y: f64, mass: f32 }), 1000);
 *     bodies.columns.x[3] = 1.5;
 *     bodies.at(3).mass = 2;
 *
 * Nothing orders reads and writes of several PEs: a barrier between phases, or a lock, does.
 * @param over how many; or arrays of `allocShared` for the fields, all of one length, which are used as they are and
 *   stay when all have left: `{ x, y, mass }`
 * @throws UsageError for what is no struct, for a bad length, for arrays that do not fit the fields or lie elsewhere,
 *   and for a group over several nodes; HeapError; MismatchError, which ends the world
 */
export function sharedStructs<const F extends Fields>(
  pe: Group,
  type: Struct<F>,
  over: number | Columns<Struct<F>>,
  options: SharedOptions = {},
): SharedStructs<F> {
  if (!(isItemType(type) && type.kind === "struct")) {
    throw new UsageError(`sharedStructs: expected a struct, as struct({ x: f64, y: f64 }), got ${shortText(type)}`);
  }
  const lanes = lanesOf(type);
  const given = typeof over === "object" ? givenColumns(lanes, over) : null;
  const length = given === null ? (over as number) : itemsIn(lanes[0] as ItemLane, given[0] as ColumnArray);
  checkLength("sharedStructs", "structs", length);
  for (const lane of lanes) checkLength("sharedStructs", "elements of a field", length * columnKind(lane).each);
  const places = given === null ? placesOf(lanes, length) : [0];
  const making = {
    call: "sharedStructs",
    kind: "array of structs",
    schema: DATA_OPTIONS,
    bytes: () => places.at(-1) as number,
    terms: ` of ${length} ${describeItem(type)}${given === null ? "" : arraysText(pe, "sharedStructs", given)}`,
    mayBeLarge: true,
  };
  const block = sharedBlock(pe, making, options);
  const { buffer } = block;
  const columns =
    given ??
    lanes.map((lane, k) => {
      const { name, each } = columnKind(lane);
      return new ARRAYS[name](buffer as never, block.offset + (places[k] as number), length * each);
    });
  const cursor = { index: 0 };
  const view = accessorOf(type, columns, cursor);
  return Object.freeze({
    length,
    columns: treeOf(type, columns) as Columns<Struct<F>>,
    at(index: number) {
      if (!(index >= 0 && index < length && Number.isInteger(index))) throw outside(block, index, length);
      cursor.index = index;
      return view as StructView<F>;
    },
    leave: () => void block.leave(),
  });
}

const itemsIn = (lane: ItemLane, column: ColumnArray): number => Math.floor(column.length / columnKind(lane).each);

/** @throws UsageError unless there is an array for each field, with as many items as the first one */
function givenColumns(lanes: readonly ItemLane[], given: unknown): ColumnArray[] {
  const call = "sharedStructs";
  const columns = columnsIn(lanes, given, 0, call);
  const length = itemsIn(lanes[0] as ItemLane, columns[0] as ColumnArray);
  columnsIn(lanes, given, length, call);
  const longer = lanes.findIndex((lane, k) => itemsIn(lane, columns[k] as ColumnArray) !== length);
  if (longer < 0) return columns;
  const { path } = lanes[longer] as ItemLane;
  throw new UsageError(
    `${call}: expected arrays for ${length} structs, as the first one has, got a longer one as columns.${path.join(".")}`,
  );
}

/** An object whose fields are those of the struct that the cursor is at. */
function accessorOf(type: ItemType, columns: readonly unknown[], cursor: { readonly index: number }): object {
  let lane = 0;
  const viewOf = (struct: ItemType): object => {
    const view = {};
    for (const field of struct.kind === "struct" ? struct.fields : []) {
      if (field.type.kind === "struct") {
        define(view, field.name, { value: viewOf(field.type), enumerable: true });
        continue;
      }
      const column = columns[lane++] as Float64Array;
      const { kind, bytes } = field.type;
      define(view, field.name, {
        enumerable: true,
        get: kind === "bytes" ? () => bytesAt(column, cursor.index, bytes) : () => column[cursor.index],
        set:
          kind === "bytes"
            ? (value: Uint8Array) => bytesAt(column, cursor.index, bytes).set(value)
            : (value: number) => {
                column[cursor.index] = value;
              },
      });
    }
    return Object.preventExtensions(view);
  };
  return viewOf(type);
}

const bytesAt = (column: unknown, index: number, bytes: number): Uint8Array =>
  (column as Uint8Array).subarray(index * bytes, (index + 1) * bytes);

/** Elements of an array of Node 20. */
const MOST = 2 ** 32;

/** @throws UsageError */
export function checkLength(call: string, what: string, length: number): void {
  if (Number.isSafeInteger(length) && length >= 0 && length <= MOST) return;
  throw new UsageError(`${call}: expected a whole number of ${what} from 0 to ${MOST}, got ${shortText(length)}`);
}

const outside = ({ what }: SharedBlock, index: number, length: number): UsageError =>
  new UsageError(`at: expected an index from 0 to ${length - 1} of the ${what}, got ${shortText(index)}`);

/**
 * Columns: many items stored field by field, one typed array for each field.
 *
 *     struct({ slot: u32, value: f64 })   →   { slot: Uint32Array, value: Float64Array }
 *     u32                                 →   Uint32Array
 *     bytes(3)                            →   Uint8Array, three bytes for each item
 */

import { UsageError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";
import { ARRAYS } from "../memory/kernels/elements.ts";
import type { Bytes, ItemType, Scalar, ScalarName, Struct } from "./item-type.ts";
import type { Views } from "./views.ts";

/** Many items: a typed array; for a struct an object with one typed array per field. */
export type Columns<I> =
  I extends Scalar<number | bigint, infer Name>
    ? Views[Name]
    : I extends Bytes
      ? Uint8Array
      : I extends Struct<infer F>
        ? { readonly [Name in keyof F]: Columns<F[Name]> }
        : never;

/** Any of the arrays. */
export type ColumnArray = Views[ScalarName];

/** A scalar or a byte string within an item: one column. */
export interface ItemLane {
  /** Names of the fields that lead to it; empty if the item is not a struct. */
  readonly path: readonly string[];
  readonly type: Scalar | Bytes;
  /** Offset in bytes from the start of the item. */
  readonly offset: number;
}

/** The columns of an item, in the order of its fields. */
export function lanesOf(item: ItemType, path: readonly string[] = [], base = 0): ItemLane[] {
  if (item.kind !== "struct") return [{ path, type: item, offset: base }];
  return item.fields.flatMap(({ name, type, offset }) => lanesOf(type, [...path, name], base + offset));
}

/** Name of the scalar type of the column's array, and its number of elements per item. */
export const columnKind = ({ type }: ItemLane): { readonly name: ScalarName; readonly each: number } =>
  type.kind === "bytes" ? { name: "u8", each: type.bytes } : { name: type.name, each: 1 };

/**
 * Numbers of lanes, in pairs that kernels copy together: those of the same width, 4 or 8 bytes, side by side in the
 * items. The others are by themselves.
 */
export function pairsOf(lanes: readonly ItemLane[]): (readonly [number] | readonly [number, number])[] {
  const pairs: (readonly [number] | readonly [number, number])[] = [];
  for (let k = 0; k < lanes.length; ) {
    const isPair = k + 1 < lanes.length && isBeside(lanes[k], lanes[k + 1]);
    pairs.push(isPair ? [k, k + 1] : [k]);
    k += isPair ? 2 : 1;
  }
  return pairs;
}

function isBeside({ type, offset }: ItemLane, next: ItemLane): boolean {
  const { bytes } = type;
  return (bytes === 4 || bytes === 8) && next.type.bytes === bytes && next.offset === offset + bytes;
}

/** A column for `count` items. */
export function columnFor(lane: ItemLane, count: number): ColumnArray {
  const { name, each } = columnKind(lane);
  return new ARRAYS[name](count * each);
}

/**
 * The given arrays, one for each lane, checked to hold at least `count` items.
 * @throws UsageError for an array of another type, or one that is too short
 */
export function columnsIn(lanes: readonly ItemLane[], given: unknown, count: number, call: string): ColumnArray[] {
  // not by map, whose results have another map when it was compiled
  const columns: ColumnArray[] = [];
  for (let k = 0; k < lanes.length; k++) {
    const { path } = lanes[k];
    const { name, each } = columnKind(lanes[k]);
    let found = given;
    for (let depth = 0; depth < path.length; depth++) {
      found = (found as Record<string, unknown> | null | undefined)?.[path[depth]];
    }
    if (!(found instanceof (ARRAYS[name] as unknown as new () => ColumnArray) && found.length >= count * each)) {
      const what = path.length === 0 ? "columns" : `columns.${path.join(".")}`;
      throw new UsageError(
        `${call}: ${what}: expected a ${nameOf(name)} of at least ${count * each} elements, got ${arrayInWords(found)}`,
      );
    }
    columns.push(found);
  }
  return columns;
}

/** Name of the typed array of a scalar type. */
const nameOf = (name: ScalarName): string => (ARRAYS[name] as unknown as { readonly name: string }).name;

/** Describes an array by its type and length, without its elements. */
export function arrayInWords(x: unknown): string {
  const isArray = Array.isArray(x) || ArrayBuffer.isView(x);
  return isArray ? `${x.constructor.name} of length ${(x as Uint8Array).length}` : shortText(x);
}

/** Columns in the form that users see: an array, or an object of arrays by field. */
export function treeOf(item: ItemType, columns: readonly ColumnArray[]): unknown {
  let lane = 0;
  const tree = (type: ItemType): unknown =>
    type.kind === "struct"
      ? Object.fromEntries(type.fields.map((field) => [field.name, tree(field.type)]))
      : columns[lane++];
  return tree(item);
}

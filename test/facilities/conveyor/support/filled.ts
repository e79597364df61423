/** Columns of items of many types, filled with bytes that follow from the item's number: for the tests of batches. */
import * as assert from "uvu/assert";
import { type ColumnArray, columnKind, lanesOf } from "../../../../src/ground/item/columns.ts";
import {
  bytes,
  f32,
  f64,
  type ItemType,
  i8,
  i16,
  i64,
  struct,
  u8,
  u16,
  u32,
  u64,
} from "../../../../src/ground/item/item-type.ts";
import { ARRAYS } from "../../../../src/ground/memory/kernels/elements.ts";
import { mix } from "./payloads.ts";

export const items: readonly ItemType[] = [
  u8,
  i16,
  u32,
  f32,
  f64,
  i64,
  bytes(1),
  bytes(3),
  bytes(40),
  struct({ slot: u32, value: f64 }),
  struct({ a: u8, b: struct({ c: u64, d: bytes(5), e: struct({ f: i8 }) }), g: u16 }),
  struct({ key: bytes(20), n: i16 }),
];

/** Bytes of the item that goes as number `i` from one PE to another: what its columns are filled with. */
export const byteAt = (from: number, i: number, k: number): number => mix(from, i, k) & 0x3f;

/** Columns of `count` items from a PE, of bytes that follow from the item's number. */
export function columnsOf(item: ItemType, from: number, count: number): unknown {
  const whole = {};
  for (const [k, lane] of lanesOf(item).entries()) {
    const { name, each } = columnKind(lane);
    const column = new ARRAYS[name](count * each);
    const raw = new Uint8Array(column.buffer);
    const width = raw.length / Math.max(count, 1);
    for (let at = 0; at < raw.length; at++) raw[at] = byteAt(from, Math.floor(at / width), 100 * k + (at % width));
    if (lane.path.length === 0) return column;
    let place: Record<string, unknown> = whole;
    for (const part of lane.path.slice(0, -1)) {
      place[part] ??= {};
      place = place[part] as Record<string, unknown>;
    }
    place[lane.path.at(-1) as string] = column;
  }
  return whole;
}

/** The columns in order, as bytes of each item. */
export function bytesOf(item: ItemType, columns: unknown, count: number): Uint8Array[] {
  return lanesOf(item).map(({ path }) => {
    let column = columns;
    for (const part of path) column = (column as Record<string, unknown>)[part];
    const { buffer, byteOffset, byteLength } = column as ColumnArray;
    const found = new Uint8Array(buffer, byteOffset, byteLength).slice();
    assert.is(found.length % Math.max(count, 1), 0);
    return found;
  });
}

/** One value as the bytes of a column. */
export function columnOfOne(item: ItemType, value: number | bigint): Uint8Array {
  const [lane] = lanesOf(item);
  assert.ok(lane !== undefined);
  const column = new ARRAYS[columnKind(lane).name](1);
  (column as unknown as (number | bigint)[])[0] = value;
  return new Uint8Array(column.buffer);
}

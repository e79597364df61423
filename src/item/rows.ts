/** Rows and columns: single items out of columns, and into them. */
import { type Column, columnKind, type Lane, lanesOf } from "./columns.ts";
import type { ItemType } from "./types.ts";

/** What push takes for item `i`, after the destination; `columns` are in the order of the item's lanes. */
export function rowsOf(item: ItemType, columns: readonly Column[]): (i: number) => readonly unknown[] {
  let lane = 0;
  const reader = (type: ItemType): ((i: number) => unknown) => {
    if (type.kind === "struct") {
      const fields = type.fields.map((field) => [field.name, reader(field.type)] as const);
      return (i) => Object.fromEntries(fields.map(([name, read]) => [name, read(i)]));
    }
    const column = columns[lane++] as Column;
    if (type.kind === "scalar") return (i) => column[i];
    return (i) => column.subarray(i * type.bytes, (i + 1) * type.bytes);
  };
  if (item.kind !== "struct") {
    const read = reader(item);
    return (i) => [read(i)];
  }
  const reads = item.fields.map(({ type }) => reader(type));
  return (i) => reads.map((read) => read(i));
}

/** Puts what was read of an item into place `i` of columns. */
export function rowWriter(item: ItemType, columns: readonly Column[]): (i: number, value: unknown) => void {
  const writers = lanesOf(item).map((lane, k) => writer(lane, columns[k] as Column));
  if (writers.length === 1) return writers[0] as (i: number, value: unknown) => void;
  return (i, value) => {
    for (const write of writers) write(i, value);
  };
}

function writer(lane: Lane, column: Column): (i: number, value: unknown) => void {
  const { each } = columnKind(lane);
  const { path, type } = lane;
  const put =
    type.kind === "scalar"
      ? (i: number, value: unknown) => {
          (column as Float64Array)[i] = value as number;
        }
      : (i: number, value: unknown) => (column as Uint8Array).set(value as Uint8Array, i * each);
  if (path.length === 0) return put;
  return (i, value) => {
    let part = value;
    for (const name of path) part = (part as Readonly<Record<string, unknown>>)[name];
    put(i, part);
  };
}

/** Columns as users see them: an array, or an object of arrays by field. */
export function treeOf(item: ItemType, columns: readonly Column[]): unknown {
  let lane = 0;
  const tree = (type: ItemType): unknown =>
    type.kind === "struct"
      ? Object.fromEntries(type.fields.map((field) => [field.name, tree(field.type)]))
      : columns[lane++];
  return tree(item);
}

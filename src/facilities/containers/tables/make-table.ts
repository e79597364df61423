/** Makes local tables: the only place that says which ones are used. */
import type { ScalarName } from "../../../ground/item/item-type.ts";
import { FloatTable, IntegerTable } from "./numbers.ts";
import { StringTable } from "./strings.ts";
import type { BytesTable, Column, KeyReader, NumberTable } from "./table.ts";

/** A table of numeric keys. @param keys their type: up to 32 bits take less time and memory. @default any number */
export function numberTable<V>(values: Column<V>, keys: ScalarName = "f64"): NumberTable<V> {
  if (keys === "f32" || keys === "f64") return new FloatTable(values);
  return new IntegerTable(values, keys.startsWith("u") ? Uint32Array : Int32Array);
}

/** A table whose keys are strings of bytes. @param read what makes a key of the bytes, for {@link Table.keyAt} */
export const bytesTable = <K, V>(values: Column<V>, read: KeyReader<K>): BytesTable<K, V> =>
  new StringTable(values, read);

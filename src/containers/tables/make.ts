/** Makes local tables: the only place that says which ones are used. */
import { PlainBytesTable, PlainNumberTable } from "./plain.ts";
import type { BytesTable, Column, KeyReader, NumberTable } from "./types.ts";

/** A table whose keys are numbers. */
export const numberTable = <V>(values: Column<V>): NumberTable<V> => new PlainNumberTable(values);

/** A table whose keys are strings of bytes. @param read what makes a key of the bytes, for {@link Table.keyAt} */
export const bytesTable = <K, V>(values: Column<V>, read: KeyReader<K>): BytesTable<K, V> =>
  new PlainBytesTable(values, read);

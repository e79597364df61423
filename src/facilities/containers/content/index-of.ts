/** A local table together with the codec of its keys: finds the entry of a key that lies in an operation. */
import type { Scalar } from "../../../ground/item/item-type.ts";
import { ARRAYS } from "../../../ground/memory/kernels/elements.ts";
import { ListColumn, NoColumn, TypedColumn } from "../tables/columns.ts";
import { bytesTable, numberTable } from "../tables/make-table.ts";
import { type BytesTable, type Column, type Lookup, NONE, type NumberTable, type Table } from "../tables/table.ts";
import type { Content } from "./content.ts";
import type { Cursor, Scratch } from "./cursor.ts";
import { type BytesKeyCodec, keyCodecOf, type NumberKeyCodec } from "./keys.ts";

/** Calls that containers of any entries need. */
export interface LookupIndex<K, V> {
  readonly table: Lookup<K, V>;
  /** Words of a key behind the head of an operation, at most. */
  readonly mostWords: number;
  /** The text of keys that are text, or written as text; null for others. @throws UsageError for what is no such key */
  readonly textOf: ((what: string, key: unknown) => string) | null;
  /** Writes a key, and goes behind it. @returns its hash @throws UsageError for what is no such key */
  write(to: Scratch, what: string, key: unknown): number;
  /** Reads what {@link find} reads first. @returns anything */
  look(from: Cursor): number;
  /** Reads the value of an entry, if there is one. @returns anything */
  lookAtValue(from: Cursor): number;
  /** Reads a key, and goes behind it. @returns its entry, or NONE */
  find(from: Cursor): number;
}

/** A table whose entries keep their numbers. */
export interface KeyIndex<K, V> extends LookupIndex<K, V> {
  readonly table: Table<K, V>;
  /** As {@link find}, and keeps the key in mind for {@link add} and {@link located}. */
  locate(from: Cursor): number;
  /** The entry of the key that was located last, made: what it was read from must be there still. */
  add(): number;
  /** As {@link find}, and makes the entry if there is none. */
  obtain(from: Cursor): number;
  /** The key that was located last. */
  located(): K;
}

/** A table for keys of a content, and the codec of these keys. */
export function indexOf<K, V>(keys: Content, values: Column<V>): KeyIndex<K, V> {
  const codec = keyCodecOf(keys);
  const index =
    codec.form === "number"
      ? new NumberIndex<V>(codec, numberTable(values, (keys as Scalar).name))
      : new BytesIndex<K, V>(codec, bytesTable<K, V>(values, codec.keyOf as never));
  return index as KeyIndex<K, V>;
}

/** The column for values of a content; null for none. */
export function columnOf<V>(values: Content | null): Column<V> {
  if (values === null) return new NoColumn() as unknown as Column<V>;
  const column = values.kind === "scalar" ? new TypedColumn(ARRAYS[values.name]) : new ListColumn();
  return column as unknown as Column<V>;
}

class NumberIndex<V> implements KeyIndex<number, V> {
  readonly table: NumberTable<V>;
  readonly mostWords: number;
  readonly textOf = null;
  readonly #codec: NumberKeyCodec;
  #key = 0;
  #hash = 0;

  constructor(codec: NumberKeyCodec, table: NumberTable<V>) {
    this.#codec = codec;
    this.mostWords = codec.words;
    this.table = table;
  }

  write(to: Scratch, what: string, key: unknown): number {
    return this.#codec.write(to, what, key);
  }

  look(from: Cursor): number {
    return this.table.lookFor(this.#codec.read(from));
  }

  lookAtValue(from: Cursor): number {
    const entry = this.find(from);
    return entry === NONE ? NONE : this.table.look(entry);
  }

  find(from: Cursor): number {
    const key = this.#codec.read(from);
    return this.table.find(key, this.#codec.hash(key));
  }

  locate(from: Cursor): number {
    const key = this.#codec.read(from);
    const hash = this.#codec.hash(key);
    this.#key = key;
    this.#hash = hash;
    return this.table.find(key, hash);
  }

  add(): number {
    return this.table.obtain(this.#key, this.#hash);
  }

  obtain(from: Cursor): number {
    const key = this.#codec.read(from);
    return this.table.obtain(key, this.#codec.hash(key));
  }

  located(): number {
    return this.#key;
  }
}

class BytesIndex<K, V> implements KeyIndex<K, V> {
  readonly table: BytesTable<K, V>;
  readonly mostWords = Number.POSITIVE_INFINITY;
  readonly textOf: ((what: string, key: unknown) => string) | null;
  readonly #codec: BytesKeyCodec;
  #u8: Uint8Array = new Uint8Array(0);
  #at = 0;
  #length = 0;
  #hash = 0;

  constructor(codec: BytesKeyCodec, table: BytesTable<K, V>) {
    this.#codec = codec;
    this.textOf = codec.textOf ?? null;
    this.table = table;
  }

  write(to: Scratch, what: string, key: unknown): number {
    return this.#codec.write(to, what, key);
  }

  look(from: Cursor): number {
    const at = from.align(8) + 8;
    return this.table.lookFor(from.views.u32[(at >>> 2) - 2] as number);
  }

  lookAtValue(from: Cursor): number {
    const entry = this.find(from);
    return entry === NONE ? NONE : this.table.look(entry);
  }

  find(from: Cursor): number {
    const at = from.align(8) + 8;
    const { u8, u32 } = from.views;
    const length = u32[(at >>> 2) - 1] as number;
    from.at = (at + length + 3) & -4;
    return this.table.find(u8, at, length, u32[(at >>> 2) - 2] as number);
  }

  locate(from: Cursor): number {
    const at = from.align(8) + 8;
    const { u8, u32 } = from.views;
    this.#u8 = u8;
    this.#at = at;
    this.#hash = u32[(at >>> 2) - 2] as number;
    this.#length = u32[(at >>> 2) - 1] as number;
    from.at = (at + this.#length + 3) & -4;
    return this.table.find(u8, at, this.#length, this.#hash);
  }

  add(): number {
    return this.table.obtain(this.#u8, this.#at, this.#length, this.#hash);
  }

  obtain(from: Cursor): number {
    const at = from.align(8) + 8;
    const { u8, u32 } = from.views;
    const length = u32[(at >>> 2) - 1] as number;
    from.at = (at + length + 3) & -4;
    return this.table.obtain(u8, at, length, u32[(at >>> 2) - 2] as number);
  }

  located(): K {
    return this.#codec.keyOf(this.#u8, this.#at, this.#length) as K;
  }
}

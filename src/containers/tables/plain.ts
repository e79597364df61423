/**
 * Plain tables, on a Map: slow, and obviously right. The tests compare the others with them.
 */
import { type BytesTable, type Column, type KeyReader, NONE, type NumberTable, type Table } from "./types.ts";

/** Entries by key, of anything that a Map compares. */
abstract class PlainTable<Key, K, V> implements Table<K, V> {
  isNew = false;
  readonly #entries = new Map<Key, number>();
  readonly #keys: (Key | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #values: Column<V>;

  constructor(values: Column<V>) {
    this.#values = values;
  }

  protected abstract shown(key: Key): K;

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#values.bytes;
  }

  keyAt(entry: number): K {
    return this.shown(this.#keys[entry] as Key);
  }

  get(entry: number): V {
    return this.#values.get(entry);
  }

  set(entry: number, value: V): void {
    this.#values.set(entry, value);
  }

  remove(entry: number): void {
    this.#entries.delete(this.#keys[entry] as Key);
    this.#keys[entry] = undefined;
    this.#values.erase(entry);
    this.#free.push(entry);
  }

  next(entry: number): number {
    for (let next = entry + 1; next < this.#keys.length; next++) {
      if (this.#keys[next] !== undefined) return next;
    }
    return NONE;
  }

  clear(shrinks = false): void {
    this.#entries.clear();
    this.#keys.length = 0;
    this.#free.length = 0;
    this.#values.clear(shrinks);
  }

  protected entryOf(key: Key): number {
    return this.#entries.get(key) ?? NONE;
  }

  protected made(key: Key): number {
    const found = this.entryOf(key);
    this.isNew = found === NONE;
    if (found !== NONE) return found;
    const entry = this.#free.pop() ?? this.#keys.length;
    this.#keys[entry] = key;
    this.#entries.set(key, entry);
    this.#values.grow(entry + 1);
    return entry;
  }
}

export class PlainNumberTable<V> extends PlainTable<number, number, V> implements NumberTable<V> {
  protected shown(key: number): number {
    return key;
  }

  find(key: number, _hash: number): number {
    return this.entryOf(key);
  }

  obtain(key: number, _hash: number): number {
    return this.made(key);
  }
}

/** The bytes are the code units of a string. */
export class PlainBytesTable<K, V> extends PlainTable<string, K, V> implements BytesTable<K, V> {
  readonly #read: KeyReader<K>;

  constructor(values: Column<V>, read: KeyReader<K>) {
    super(values);
    this.#read = read;
  }

  protected shown(key: string): K {
    const bytes = Uint8Array.from(key, (unit) => unit.charCodeAt(0));
    return this.#read(bytes, 0, bytes.length);
  }

  find(u8: Uint8Array, at: number, length: number, _hash: number): number {
    return this.entryOf(textOf(u8, at, length));
  }

  obtain(u8: Uint8Array, at: number, length: number, _hash: number): number {
    return this.made(textOf(u8, at, length));
  }
}

function textOf(u8: Uint8Array, at: number, length: number): string {
  let text = "";
  for (let i = at; i < at + length; i++) text += String.fromCharCode(u8[i] as number);
  return text;
}

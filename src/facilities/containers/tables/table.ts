/**
 * Local tables: what one PE has of a container, by key. Nothing here communicates.
 *
 *     key ──hash──▶ entry (a small whole number) ──▶ the key, the value
 *
 * An entry keeps its number until it is removed, whatever is added meanwhile: loops over entries go on while others are
 * added. Tables of counts (counts.ts) have no such numbers: what is there lies where its hash says.
 *
 * Two kinds of keys: numbers, and strings of bytes, which lie somewhere in memory, mostly in a received buffer. Text,
 * structs, bigints and structural keys are strings of bytes here, so that no JavaScript value is made of a key that is
 * there already.
 *
 * The hash is the caller's (content/hash.ts): 32 well-mixed bits. The owner of a key is chosen by its high bits, so
 * that those of the keys at one PE are alike: a table spreads them again. Equal keys have equal hashes.
 */

/** No entry. */
export const NONE = -1;

/** Entries with values, as they are read. @typeParam K of keys @typeParam V of the values */
export interface Lookup<K, V> {
  /** Number of entries. */
  readonly size: number;
  /** Bytes of memory that it holds, as far as they are known: values that are JavaScript objects count as a pointer. */
  readonly bytes: number;
  /** The value of an entry; of a new one what its column has for nothing: 0, 0n, undefined. */
  get(entry: number): V;
  /** Calls a function for each entry, but for those added meanwhile, unless in the place of a removed one. */
  forEach(visit: (key: K, value: V) => unknown): void;
  /**
   * Makes room for so many entries in all: it does not grow before there are more, or so many and a batch of keys
   * (counts.ts).
   * @throws OverflowError for too many, RangeError where there is no memory for them; nothing changes that can be seen
   */
  reserve(entries: number): void;
  /** Removes all entries. @param shrinks whether it gives its memory back. @default false */
  clear(shrinks?: boolean): void;
}

/**
 * The common part of tables whose entries keep their numbers.
 * @typeParam K of {@link keyAt}
 * @typeParam V of the values
 */
export interface Table<K, V> extends Lookup<K, V> {
  /** All entries that are there have numbers below it; a new one has it, or the number of one that was removed. */
  readonly end: number;
  /** Whether the last `obtain` has made its entry. */
  readonly isNew: boolean;
  /** The key of an entry. */
  keyAt(entry: number): K;
  set(entry: number, value: V): void;
  /** Reads a value, for the cache. @returns anything */
  look(entry: number): number;
  /** Removes an entry. The numbers of the others stay what they are; a later `obtain` gives its number again. */
  remove(entry: number): void;
  /** The entry after this one, in no order that means anything; {@link NONE} for the first, and after the last. */
  next(entry: number): number;
}

/** {@link Lookup.forEach} of a table. */
export function eachEntry<K, V>(table: Table<K, V>, visit: (key: K, value: V) => unknown): void {
  // what is added meanwhile is behind it, or has the number of one that was removed
  const { end } = table;
  for (let entry = table.next(NONE); entry !== NONE && entry < end; entry = table.next(entry)) {
    visit(table.keyAt(entry), table.get(entry));
  }
}

/** Keys that are numbers, equal as those of a Map: NaN is NaN, -0 is 0. The caller gives 0 for -0. */
export interface NumberTable<V> extends Table<number, V> {
  /** Reads what {@link find} reads first. @returns anything */
  lookFor(key: number): number;
  /** The entry of a key, or {@link NONE}. */
  find(key: number, hash: number): number;
  /** The entry of a key, made if there is none. */
  obtain(key: number, hash: number): number;
}

/** Keys that are strings of bytes: `length` bytes of `u8` from `at` on, equal if all bytes are. */
export interface BytesTable<K, V> extends Table<K, V> {
  /** Reads what {@link find} reads first. @returns anything */
  lookFor(hash: number): number;
  /** The entry of a key, or {@link NONE}. */
  find(u8: Uint8Array, at: number, length: number, hash: number): number;
  /** The entry of a key, made if there is none: the bytes are copied then. */
  obtain(u8: Uint8Array, at: number, length: number, hash: number): number;
}

/** The values of a table, by entry: typed arrays where they can be. */
export interface Column<V> {
  /** Bytes of memory that it holds. */
  readonly bytes: number;
  get(entry: number): V;
  set(entry: number, value: V): void;
  /** Reads a value, for the cache. @returns anything */
  look(entry: number): number;
  /** Makes room for entries below `capacity`, and no more: tables double it. */
  grow(capacity: number): void;
  /** Sets an entry back to nothing: 0, 0n, undefined. */
  erase(entry: number): void;
  /** Sets all back to nothing. @param shrinks whether it gives its memory back */
  clear(shrinks: boolean): void;
}

/** Makes a key of the bytes of an entry. @param u8 the table's own memory, not shared */
export type KeyReader<K> = (u8: Uint8Array, at: number, length: number) => K;

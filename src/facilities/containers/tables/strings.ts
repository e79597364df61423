/**
 * Tables whose keys are strings of bytes. The bytes of all keys lie one after the other in one array; where keys were
 * removed, it is packed before it grows.
 *
 * Memory per entry: a slot of 8 bytes, of which at most three of four are in use; 12 bytes that say where the key is;
 * its bytes, in an array up to twice as large; the value. An entry with a key of 8 bytes and a value of 8 bytes takes
 * 39 to 77 bytes; where no entry is removed, pages that no entry has reached are not in memory.
 */
import { OverflowError } from "../../../ground/base/errors.ts";
import { Entries } from "./entries.ts";
import { Slots } from "./slots.ts";
import { type BytesTable, type Column, eachEntry, type KeyReader, NONE } from "./table.ts";

/** The words of a key: where it begins, its length, its hash. */
const WORDS = 3;
/** Bytes for keys at first, and at most: places are 32 bits. */
const FIRST = 256;
const MOST = 2 ** 32 - 1;

export class StringTable<K, V> implements BytesTable<K, V> {
  isNew = false;
  readonly #slots = new Slots();
  readonly #entries = new Entries();
  readonly #values: Column<V>;
  readonly #read: KeyReader<K>;
  #places: Uint32Array;
  #text = new Uint8Array(FIRST);
  /** Where the next key begins. */
  #end = 0;
  /** Bytes of keys that are there. */
  #live = 0;

  constructor(values: Column<V>, read: KeyReader<K>) {
    this.#values = values;
    this.#read = read;
    this.#places = new Uint32Array(this.#slots.limit * WORDS);
    values.grow(this.#slots.limit);
  }

  get size(): number {
    return this.#slots.size;
  }

  get end(): number {
    return this.#entries.end;
  }

  get bytes(): number {
    const keys = this.#places.byteLength + this.#text.byteLength;
    return this.#slots.bytes + keys + this.#entries.bytes + this.#values.bytes;
  }

  keyAt(entry: number): K {
    const place = entry * WORDS;
    return this.#read(this.#text, this.#places[place] as number, this.#places[place + 1] as number);
  }

  get(entry: number): V {
    return this.#values.get(entry);
  }

  look(entry: number): number {
    return this.#values.look(entry);
  }

  set(entry: number, value: V): void {
    this.#values.set(entry, value);
  }

  lookFor(hash: number): number {
    return this.#slots.look(hash | 0);
  }

  find(u8: Uint8Array, at: number, length: number, hash: number): number {
    const slots = this.#slots;
    const wanted = hash | 0;
    for (let slot = slots.first(wanted); slot >= 0; slot = slots.next(wanted, slot)) {
      const entry = slots.entryAt(slot);
      if (this.#isAt(entry, u8, at, length)) return entry;
    }
    return NONE;
  }

  obtain(u8: Uint8Array, at: number, length: number, hash: number): number {
    const found = this.find(u8, at, length, hash);
    this.isNew = found === NONE;
    return found === NONE ? this.#add(u8, at, length, hash) : found;
  }

  remove(entry: number): void {
    const place = entry * WORDS;
    this.#slots.remove((this.#places[place + 2] as number) | 0, entry);
    this.#live -= this.#places[place + 1] as number;
    this.#values.erase(entry);
    this.#entries.giveBack(entry);
  }

  next(entry: number): number {
    return this.#entries.next(entry);
  }

  forEach(visit: (key: K, value: V) => unknown): void {
    eachEntry(this, visit);
  }

  reserve(entries: number): void {
    this.#slots.reserve(entries);
    if (this.#slots.limit * WORDS > this.#places.length) this.#grow();
  }

  clear(shrinks = false): void {
    this.#slots.clear(shrinks);
    this.#entries.clear();
    this.#values.clear(shrinks);
    this.#end = 0;
    this.#live = 0;
    if (shrinks) {
      this.#places = new Uint32Array(this.#slots.limit * WORDS);
      this.#text = new Uint8Array(FIRST);
    }
    this.#values.grow(this.#slots.limit);
  }

  #isAt(entry: number, u8: Uint8Array, at: number, length: number): boolean {
    const place = entry * WORDS;
    if (this.#places[place + 1] !== length) return false;
    const text = this.#text;
    const from = this.#places[place] as number;
    for (let i = 0; i < length; i++) if (text[from + i] !== u8[at + i]) return false;
    return true;
  }

  #add(u8: Uint8Array, at: number, length: number, hash: number): number {
    if (this.#end + length > this.#text.length) this.#makeRoom(length);
    const entry = this.#entries.take();
    this.#slots.add(hash | 0, entry);
    const place = entry * WORDS;
    if (place >= this.#places.length) this.#grow();
    const begin = this.#end;
    this.#places[place] = begin;
    this.#places[place + 1] = length;
    this.#places[place + 2] = hash;
    const text = this.#text;
    for (let i = 0; i < length; i++) text[begin + i] = u8[at + i] as number;
    this.#end += length;
    this.#live += length;
    return entry;
  }

  /** The values first: if there is no memory for the places, the next entry makes room again. */
  #grow(): void {
    const { limit } = this.#slots;
    this.#values.grow(limit);
    const larger = new Uint32Array(limit * WORDS);
    larger.set(this.#places);
    this.#places = larger;
  }

  /** Packs the keys that are there, with room for `more` bytes. */
  #makeRoom(more: number): void {
    const least = this.#live + more;
    if (least > MOST) {
      throw new OverflowError(
        `table: expected keys of at most ${MOST} bytes in all at one PE, got ${least}. Use more PEs.`,
      );
    }
    // at least half of it is free afterwards: it is not packed again soon
    const text = new Uint8Array(Math.min(MOST, 2 * Math.max(least, FIRST / 2)));
    if (this.#live === this.#end) text.set(this.#text.subarray(0, this.#end));
    else this.#pack(text);
    this.#text = text;
    this.#end = this.#live;
  }

  #pack(text: Uint8Array): void {
    let end = 0;
    for (let entry = this.next(NONE); entry !== NONE; entry = this.next(entry)) {
      const place = entry * WORDS;
      const from = this.#places[place] as number;
      const length = this.#places[place + 1] as number;
      text.set(this.#text.subarray(from, from + length), end);
      this.#places[place] = end;
      end += length;
    }
  }
}

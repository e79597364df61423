/**
 * The slots of a hash table: each has the hash of a key and the number of its entry. Keys and values are in arrays of
 * their own, by number of the entry, so that all kinds of keys have the same slots.
 *
 *     slots     [hash 7, entry 2] [    free    ] [hash 5, entry 0] [hash 5, entry 1]
 *     keys      0: "tin"   1: "zinc"   2: "lead"
 *
 * Open addressing with linear probing: an entry is in the first free slot from the home of its hash on. Where one is
 * removed, those behind it move up, so that removals leave nothing that later searches would have to pass. Source:
 * Knuth, TAOCP 3, 6.4, algorithms L and R.
 */
import { OverflowError } from "../../../ground/base/errors.ts";

/** A slot is two words: the hash, and the number of the entry plus 1; 0 there: the slot is free. */
const WORDS = 2;
/** Slots of an empty table: a power of two. */
const LEAST = 16;
/** Slots of the largest table. */
const MOST = 2 ** 29;
/** Part of the slots that are in use before it grows. */
const LOAD = 0.75;
/** 2^32 / golden ratio: homes of hashes that differ in a few bits are far apart. Source: Knuth, TAOCP 3, 6.4. */
const GOLDEN = 0x9e3779b9;

/**
 * Slots of a table, a power of two, of which so many entries are in use at most.
 * @param load part of the slots that may be
 */
export const slotsFor = (entries: number, load: number): number => 2 ** Math.ceil(Math.log2(entries / load));

export class Slots {
  #words = new Int32Array(LEAST * WORDS);
  /** Of the index of a word. */
  #mask = LEAST * WORDS - 1;
  /** The highest bits of a product are the number of a home. */
  #shift = 32 - Math.log2(LEAST);
  #limit = LEAST * LOAD;
  #size = 0;

  /** Number of entries. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#words.byteLength;
  }

  /** Most entries before it grows. */
  get limit(): number {
    return this.#limit;
  }

  /** Reads what {@link first} reads. @returns anything */
  look(hash: number): number {
    return this.#words[this.#home(hash) + 1] as number;
  }

  /** The first slot with a hash; -1 if there is none. */
  first(hash: number): number {
    return this.#seek(hash, this.#home(hash));
  }

  /** The next one behind `slot`; -1 if there is none. */
  next(hash: number, slot: number): number {
    return this.#seek(hash, (slot + WORDS) & this.#mask);
  }

  /** The entry of a slot that {@link first} or {@link next} gave. */
  entryAt(slot: number): number {
    return (this.#words[slot + 1] as number) - 1;
  }

  /** Adds an entry, which is not there. @param hash 32 bits, signed @throws OverflowError beyond 402 653 184 entries */
  add(hash: number, entry: number): void {
    if (this.#size === this.#limit) this.#grow();
    this.#size++;
    this.#put(hash, entry);
  }

  /** Removes an entry, which is there. */
  remove(hash: number, entry: number): void {
    let slot = this.#home(hash);
    while (this.#words[slot + 1] !== entry + 1) slot = (slot + WORDS) & this.#mask;
    this.#size--;
    this.#free(slot);
  }

  /** Removes all. @param shrinks whether it gives its memory back */
  clear(shrinks: boolean): void {
    this.#size = 0;
    if (shrinks) this.#allocate(LEAST);
    else this.#words.fill(0);
  }

  #home(hash: number): number {
    return (Math.imul(hash, GOLDEN) >>> this.#shift) * WORDS;
  }

  #seek(hash: number, from: number): number {
    const words = this.#words;
    const mask = this.#mask;
    for (let slot = from; words[slot + 1] !== 0; slot = (slot + WORDS) & mask) {
      if (words[slot] === hash) return slot;
    }
    return -1;
  }

  #put(hash: number, entry: number): void {
    const words = this.#words;
    let slot = this.#home(hash);
    while (words[slot + 1] !== 0) slot = (slot + WORDS) & this.#mask;
    words[slot] = hash;
    words[slot + 1] = entry + 1;
  }

  /** Frees a slot, fills it with the next entry that would not be found behind it, and so on. */
  #free(freed: number): void {
    const words = this.#words;
    const mask = this.#mask;
    let hole = freed;
    for (let slot = (hole + WORDS) & mask; words[slot + 1] !== 0; slot = (slot + WORDS) & mask) {
      const home = this.#home(words[slot] as number);
      // it stays if its home is behind the hole
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      words[hole] = words[slot] as number;
      words[hole + 1] = words[slot + 1] as number;
      hole = slot;
    }
    words[hole + 1] = 0;
  }

  /** Makes room for so many entries in all. @throws OverflowError */
  reserve(entries: number): void {
    if (entries > this.#limit) this.#grow(slotsFor(entries, LOAD));
  }

  /** @param count of slots */
  #grow(count = (this.#words.length / WORDS) * 2): void {
    const words = this.#words;
    this.#allocate(count);
    for (let slot = 0; slot < words.length; slot += WORDS) {
      if (words[slot + 1] !== 0) this.#put(words[slot] as number, (words[slot + 1] as number) - 1);
    }
  }

  #allocate(count: number): void {
    if (count > MOST) {
      throw new OverflowError(`table: expected at most ${MOST * LOAD} entries at one PE, got one more. Use more PEs.`);
    }
    this.#words = new Int32Array(count * WORDS);
    this.#mask = count * WORDS - 1;
    this.#shift = 32 - Math.log2(count);
    this.#limit = count * LOAD;
  }
}

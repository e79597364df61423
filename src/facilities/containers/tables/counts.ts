/**
 * Counts of whole numbers of up to 32 bits. A key and its count lie side by side, so that a processor waits for one
 * line of memory, be the key new or not; and many keys are added in one call, which reads where all of them begin
 * before it adds the first: the memory comes while the others are asked for.
 *
 *     slots     [key 7, count 2] [    free    ] [key 5, count 1]           count 0: free
 *
 * Open addressing with linear probing, without removal. A table that grows keeps its order, so that memory is passed
 * through once.
 *
 * A slot counts up to 2^32 - 1; what a key has beyond that is in a Map.
 *
 * Memory per entry: 11 to 43 bytes, from 128 MiB on 11 to 22: at most three of four slots are in use.
 */
import { OverflowError } from "../../../ground/base/errors.ts";
import { slotsFor } from "./slots.ts";
import { type Lookup, NONE } from "./table.ts";

/** A slot is two words: the key, and its count. */
const WORDS = 2;
/** Slots of an empty table: a power of two. */
const LEAST = 16;
/** Slots of the largest table. */
const MOST = 2 ** 29;
/** With less slots than this, 128 MiB, it grows fourfold: moved entries cost as much as added ones. */
const FEW = 2 ** 24;
/** Part of the slots that are in use before it grows. */
const LOAD = 0.75;
/** Largest count of a slot. */
const MOST_COUNT = 2 ** 32 - 1;
/** 2^32 / golden ratio. Source: Knuth, TAOCP 3, 6.4. */
const GOLDEN = 0x9e3779b9;

export class CountTable implements Lookup<number, number> {
  readonly #isSigned: boolean;
  #words = new Uint32Array(LEAST * WORDS);
  /** Of the index of a word. */
  #mask = LEAST * WORDS - 1;
  /** The highest bits of a product are the number of a home. */
  #shift = 32 - Math.log2(LEAST);
  #limit = LEAST * LOAD;
  #size = 0;
  /** The counts of keys beyond those of their slots. */
  #beyond = new Map<number, number>();
  /** Loops that go through these slots. */
  #loops = 0;
  /** Made of what was read ahead, so that the compiler does not leave that out. */
  protected seen = 0;

  /** @param isSigned whether keys are signed */
  constructor(isSigned: boolean) {
    this.#isSigned = isSigned;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#words.byteLength + 16 * this.#beyond.size;
  }

  /** The slot of a key, or {@link NONE}: until one is added. */
  find(key: number): number {
    const slot = this.#seek(key);
    return this.#words[slot + 1] === 0 ? NONE : slot;
  }

  /** The count of a slot. */
  get(slot: number): number {
    const words = this.#words;
    return countOf(this.#beyond, words[slot] as number, words[slot + 1] as number);
  }

  /** Reads what {@link add} reads first. @returns anything */
  look(key: number): number {
    return this.#words[this.#home(key) + 1] as number;
  }

  /** Adds to the count of a key. @param by a whole number >= 1 @throws OverflowError beyond 402 653 184 keys */
  add(key: number, by: number): void {
    this.#prepare(1);
    const words = this.#words;
    const slot = this.#seek(key);
    const count = words[slot + 1] as number;
    if (count === 0) {
      this.#size++;
      words[slot] = key;
    }
    const sum = count + by;
    if (sum > MOST_COUNT) this.#carry(words[slot] as number, sum - 1);
    words[slot + 1] = sum > MOST_COUNT ? 1 : sum;
  }

  /** Adds one to the counts of keys, `length` of them from `keys[at]` on. @throws OverflowError as {@link add} */
  addOnes(keys: Uint32Array, at: number, length: number): void {
    this.#prepare(length);
    const words = this.#words;
    const mask = this.#mask;
    const shift = this.#shift;
    const end = at + length;
    let seen = 0;
    for (let i = at; i < end; i++) {
      seen ^= words[(Math.imul(keys[i] as number, GOLDEN) >>> shift) * WORDS + 1] as number;
    }
    this.seen = seen;
    let size = this.#size;
    for (let i = at; i < end; i++) {
      const key = keys[i] as number;
      let slot = (Math.imul(key, GOLDEN) >>> shift) * WORDS;
      let count = words[slot + 1] as number;
      while (count !== 0 && words[slot] !== key) {
        slot = (slot + WORDS) & mask;
        count = words[slot + 1] as number;
      }
      if (count === 0) {
        size++;
        words[slot] = key;
      } else if (count === MOST_COUNT) {
        this.#carry(key, count);
        count = 0;
      }
      words[slot + 1] = count + 1;
    }
    this.#size = size;
  }

  /** As {@link Lookup.forEach}, with the counts of the beginning: slots are copied if anything is added meanwhile. */
  forEach(visit: (key: number, count: number) => unknown): void {
    const words = this.#words;
    const beyond = this.#beyond;
    const isSigned = this.#isSigned;
    this.#loops++;
    try {
      for (let slot = 0; slot < words.length; slot += WORDS) {
        const count = words[slot + 1] as number;
        if (count === 0) continue;
        const key = words[slot] as number;
        visit(isSigned ? key | 0 : key, countOf(beyond, key, count));
      }
    } finally {
      if (words === this.#words) this.#loops--;
    }
  }

  /** Removes all, and gives the memory back. */
  clear(): void {
    this.#allocate(LEAST);
    this.#size = 0;
    this.#beyond = new Map();
    this.#loops = 0;
  }

  #home(key: number): number {
    return (Math.imul(key, GOLDEN) >>> this.#shift) * WORDS;
  }

  /** The slot of a key, or the free one where it would be. */
  #seek(key: number): number {
    const words = this.#words;
    const wanted = key >>> 0;
    let slot = this.#home(key);
    while (words[slot + 1] !== 0 && words[slot] !== wanted) slot = (slot + WORDS) & this.#mask;
    return slot;
  }

  #carry(key: number, count: number): void {
    this.#beyond.set(key, (this.#beyond.get(key) ?? 0) + count);
  }

  /** Makes room for so many keys. */
  #prepare(more: number): void {
    if (this.#loops > 0) this.#leave();
    while (this.#size + more > this.#limit) {
      const count = this.#words.length / WORDS;
      this.#grow(count * (count < FEW ? 4 : 2));
    }
  }

  reserve(entries: number): void {
    if (entries <= this.#limit) return;
    if (this.#loops > 0) this.#leave();
    this.#grow(slotsFor(entries, LOAD));
  }

  /** Leaves the slots to the loops that go through them. */
  #leave(): void {
    this.#words = this.#words.slice();
    this.#beyond = new Map(this.#beyond);
    this.#loops = 0;
  }

  /** @param count of slots */
  #grow(count: number): void {
    const before = this.#words;
    this.#allocate(count);
    const words = this.#words;
    const mask = this.#mask;
    const shift = this.#shift;
    for (let from = 0; from < before.length; from += WORDS) {
      const count = before[from + 1] as number;
      if (count === 0) continue;
      const key = before[from] as number;
      let slot = (Math.imul(key, GOLDEN) >>> shift) * WORDS;
      while (words[slot + 1] !== 0) slot = (slot + WORDS) & mask;
      words[slot] = key;
      words[slot + 1] = count;
    }
  }

  #allocate(count: number): void {
    if (count > MOST) {
      throw new OverflowError(`table: expected at most ${MOST * LOAD} entries at one PE, got one more. Use more PEs.`);
    }
    this.#words = new Uint32Array(count * WORDS);
    this.#mask = count * WORDS - 1;
    this.#shift = 32 - Math.log2(count);
    this.#limit = count * LOAD;
  }
}

const countOf = (beyond: ReadonlyMap<number, number>, key: number, count: number): number =>
  beyond.size === 0 ? count : count + (beyond.get(key) ?? 0);

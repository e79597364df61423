/**
 * Counts that are combined before they are sent: a table with one place for each value of a hash. A key that finds
 * another one in its place takes it, and the other one is sent with its count, as long as that pays (payoff.ts). So a
 * key that comes again and again is sent now and then, whatever else comes; and a PE has no more entries than places.
 * Text has a table of another kind (texts.ts).
 *
 *     place = hash mod places    words: number of words, then the key as it is sent    counts: 0 for an empty place
 *
 * Longer keys than `most` words are not combined.
 *
 * Source: the cache of YGM's counting_set (github.com/LLNL/ygm).
 */
import type { Scratch } from "../content/cursor.ts";
import { Payoff } from "./payoff.ts";

/** A key begins behind the head of its operation. */
const FIRST = 1;

/** The outcome for a key. */
export const KEPT = -1;
export const NOT_COMBINED = -2;

export class PlaceCombining {
  /** The count of the key that was put out last. */
  count = 0;
  readonly #mask: number;
  /** Words of a place. */
  readonly #stride: number;
  readonly #payoff = new Payoff();
  readonly #words: Uint32Array;
  readonly #hashes: Uint32Array;
  readonly #counts: Float64Array;
  /** Places that {@link takeOut} has looked at. */
  #next = 0;

  /** @param places a power of two @param most words of a key */
  constructor(places: number, most: number) {
    this.#mask = places - 1;
    this.#stride = most + 1;
    this.#words = new Uint32Array(this.#stride * places);
    this.#hashes = new Uint32Array(places);
    this.#counts = new Float64Array(places);
  }

  /**
   * Adds to the count of the key in a scratch, which goes from its second word to its place.
   * @returns KEPT; NOT_COMBINED; or the hash of another key, which is in the scratch now, its count in {@link count}:
   * it has to be sent
   */
  add(scratch: Scratch, hash: number, count: number): number {
    const length = (scratch.at >>> 2) - FIRST;
    if (length >= this.#stride || this.#payoff.passes()) return NOT_COMBINED;
    const place = hash & this.#mask;
    const counts = this.#counts;
    const { u32 } = scratch.views;
    const before = counts[place] as number;
    if (before === 0) {
      this.#put(place, u32, length, hash, count);
      return KEPT;
    }
    if (this.#hashes[place] === hash && this.#isSame(place, u32, length)) {
      counts[place] = before + count;
      return KEPT;
    }
    this.#payoff.sent();
    return this.#exchange(place, scratch, length, hash, count);
  }

  /** Takes out one entry after another. @returns the hash of a key, as {@link add}; KEPT when none is left */
  takeOut(scratch: Scratch): number {
    const counts = this.#counts;
    while (this.#next < counts.length) {
      const place = this.#next++;
      if (counts[place] === 0) continue;
      this.#get(place, scratch);
      counts[place] = 0;
      return this.#hashes[place] as number;
    }
    this.#next = 0;
    return KEPT;
  }

  #isSame(place: number, u32: Uint32Array, length: number): boolean {
    const words = this.#words;
    const base = place * this.#stride;
    if (words[base] !== length) return false;
    for (let i = 0; i < length; i++) if (words[base + 1 + i] !== u32[FIRST + i]) return false;
    return true;
  }

  #put(place: number, u32: Uint32Array, length: number, hash: number, count: number): void {
    const words = this.#words;
    const base = place * this.#stride;
    words[base] = length;
    for (let i = 0; i < length; i++) words[base + 1 + i] = u32[FIRST + i] as number;
    this.#hashes[place] = hash;
    this.#counts[place] = count;
  }

  #get(place: number, scratch: Scratch): void {
    const words = this.#words;
    const { u32 } = scratch.views;
    const base = place * this.#stride;
    const length = words[base] as number;
    for (let i = 0; i < length; i++) u32[FIRST + i] = words[base + 1 + i] as number;
    scratch.at = 4 * (FIRST + length);
    this.count = this.#counts[place] as number;
  }

  #exchange(place: number, scratch: Scratch, length: number, hash: number, count: number): number {
    const words = this.#words;
    const { u32 } = scratch.views;
    const base = place * this.#stride;
    const other = words[base] as number;
    words[base] = length;
    for (let i = 0; i < length || i < other; i++) {
      const word = words[base + 1 + i] as number;
      words[base + 1 + i] = u32[FIRST + i] as number;
      u32[FIRST + i] = word;
    }
    scratch.at = 4 * (FIRST + other);
    const out = this.#hashes[place] as number;
    this.#hashes[place] = hash;
    this.count = this.#counts[place] as number;
    this.#counts[place] = count;
    return out;
  }
}

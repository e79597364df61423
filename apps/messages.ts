/**
 * Messages whose content both ends know: message number `index` of a pair of PEs is a part of one long random text, from a place
 * that is random by pair and index. The receiver takes messages in the order in which each sender has made them, so one that is
 * lost, doubled, changed or out of order differs from what is expected.
 */
import type { PE } from "tundish";
import { randomBelow } from "./common.ts";

/** Places where messages start. */
const PLACES = 2 ** 16;

/** The random text, which all PEs of a thread have in common, and takes longer to make than many messages. */
let known = { seed: Number.NaN, text: new Uint8Array() };

function textOf(seed: number, length: number): Uint8Array {
  if (known.seed !== seed || known.text.length < length)
    known = { seed, text: Uint8Array.from({ length }, (_, i) => randomBelow(256, seed, i)) };
  return known.text;
}

/** The messages from and to one PE. */
export class Messages {
  /** Messages taken from each PE. */
  readonly taken: Uint32Array;
  /** Messages that were not as expected. */
  errors = 0;
  /** Of what was taken; whole, below 2^32. */
  checksum = 0;
  readonly #pe: PE;
  readonly #seed: number;
  readonly #text: Uint8Array;

  /** @param largest length of the largest message */
  constructor(pe: PE, seed: number, largest: number) {
    this.#pe = pe;
    this.#seed = seed;
    this.#text = textOf(seed, PLACES + largest);
    this.taken = new Uint32Array(pe.size);
  }

  /** A number that the seed, the pair and the index give, below `limit`. */
  random(limit: number, from: number, to: number, index: number): number {
    return randomBelow(limit, this.#seed + Math.imul(from * this.#pe.size + to + 1, 0x9e3779b1), index);
  }

  /** Message number `index` to PE `dest`; push copies it. */
  make(dest: number, index: number, length: number): Uint8Array {
    const place = this.random(PLACES, this.#pe.rank, dest, index);
    return this.#text.subarray(place, place + length);
  }

  /** Takes the next message of PE `from`. @param length what it should have */
  take(from: number, bytes: Uint8Array, length: number): void {
    const index = this.taken[from]++;
    const place = this.random(PLACES, from, this.#pe.rank, index);
    let isRight = bytes.length === length;
    for (let k = 0; k < length && isRight; k++) isRight = bytes[k] === this.#text[place + k];
    if (!isRight) this.errors++;
    this.checksum = (this.checksum + (1 + (index % 1000)) * (bytes.length + bytes[0])) % 2 ** 32;
  }

  /** Messages that are missing, or too many, where each of `senders` should have sent `count`. */
  missing(senders: readonly number[], count: number): number {
    return this.taken.reduce((sum, n, from) => sum + Math.abs(n - (senders.includes(from) ? count : 0)), 0);
  }
}

/**
 * Counts of whole numbers of up to 32 bits that are combined before they are sent: as in places.ts, a table with one
 * place for each value of a hash, but without an operation that is put together first.
 */
import { Payoff } from "./payoff.ts";
import { KEPT, NOT_COMBINED } from "./places.ts";
import { EXCHANGED } from "./texts.ts";

export class WholeCombining {
  /** The key that was put out last, and its count. */
  key = 0;
  count = 0;
  readonly #mask: number;
  readonly #payoff = new Payoff();
  readonly #keys: Uint32Array;
  /** 0 for an empty place. */
  readonly #counts: Float64Array;
  /** Places that {@link takeOut} has looked at. */
  #next = 0;

  /** @param places a power of two */
  constructor(places: number) {
    this.#mask = places - 1;
    this.#keys = new Uint32Array(places);
    this.#counts = new Float64Array(places);
  }

  /** Adds to the count of a key. @param key as 32 bits without a sign @returns KEPT, NOT_COMBINED or EXCHANGED */
  add(key: number, hash: number, count: number): number {
    if (this.#payoff.passes()) return NOT_COMBINED;
    const place = hash & this.#mask;
    const before = this.#counts[place] as number;
    const other = this.#keys[place] as number;
    if (before === 0 || other === key) {
      this.#keys[place] = key;
      this.#counts[place] = before + count;
      return KEPT;
    }
    this.#payoff.sent();
    this.key = other;
    this.count = before;
    this.#keys[place] = key;
    this.#counts[place] = count;
    return EXCHANGED;
  }

  /** Puts out one key after another. @returns false when there is none left */
  takeOut(): boolean {
    const counts = this.#counts;
    while (this.#next < counts.length) {
      const place = this.#next++;
      this.count = counts[place] as number;
      if (this.count === 0) continue;
      this.key = this.#keys[place] as number;
      counts[place] = 0;
      return true;
    }
    this.#next = 0;
    return false;
  }
}

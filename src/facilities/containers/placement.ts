/**
 * Which PE has which elements of an array of n, and where.
 *
 *     10 elements, 3 PEs    blocks: 0 1 2 3 | 4 5 6 7 | 8 9        in turn: 0 3 6 9 | 1 4 7 | 2 5 8
 */
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";

/** How elements lie: in blocks side by side, or element i at PE i mod PEs. */
export type Distribution = "block" | "cyclic";

/** Most elements: indices and places are 32 bits. */
const MOST = 2 ** 32 - 1;

/** Elements 0 to n - 1 at some PEs. */
export class Placement {
  /** Number of elements. */
  readonly length: number;
  readonly #size: number;
  /** Elements of a block; 0: in turn. */
  readonly #each: number;

  constructor(length: number, size: number, distribution: Distribution) {
    this.length = length;
    this.#size = size;
    this.#each = distribution === "block" ? Math.max(1, Math.ceil(length / size)) : 0;
  }

  /** The PE that has an element. */
  ownerOf(index: number): number {
    return this.#each > 0 ? Math.floor(index / this.#each) : index % this.#size;
  }

  /** Which element of this PE it is. */
  placeOf(index: number, owner: number): number {
    return this.#each > 0 ? index - owner * this.#each : (index - owner) / this.#size;
  }

  /** The same; -1 if it is not there. */
  placeIn(index: number, rank: number): number {
    if (this.#each === 0) return index % this.#size === rank ? (index - rank) / this.#size : -1;
    const place = index - rank * this.#each;
    return place < this.#each ? Math.max(place, -1) : -1;
  }

  /** The element at a place of a PE. */
  indexOf(place: number, owner: number): number {
    return this.#each > 0 ? owner * this.#each + place : place * this.#size + owner;
  }

  /** Number of elements of a PE. */
  countOf(owner: number): number {
    if (this.#each === 0) return Math.max(0, Math.ceil((this.length - owner) / this.#size));
    return Math.min(this.#each, Math.max(0, this.length - owner * this.#each));
  }

  /** @throws UsageError for what is no index */
  check(call: string, index: number): void {
    if (index >>> 0 === index && index < this.length) return;
    const expected = this.length === 0 ? "no index, as it has no elements" : `an index from 0 to ${this.length - 1}`;
    throw new UsageError(`${call}: expected ${expected}, got ${shortText(index)}`);
  }
}

/** @param kind of container @throws UsageError for what is no number of elements */
export function checkLength(kind: string, length: unknown): void {
  if (Number.isInteger(length) && (length as number) >= 0 && (length as number) <= MOST) return;
  throw new UsageError(`${kind}: expected a number of elements from 0 to ${MOST}, got ${shortText(length)}`);
}

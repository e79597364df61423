/**
 * Caches checked calls on arrays in the heap, so that a program that repeats its calls neither checks nor allocates
 * anything for them. This matters because all other PEs wait during a garbage collection of one PE.
 *
 * Limits: it keeps the last {@link ENTRIES} calls, by array, op or array for the result, root and requested algorithm.
 * Only arrays in the heap are cached: for others the cache would prevent their garbage collection. Every free empties
 * the cache, as the freed array may be in it.
 */
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Into } from "../node/result-array.ts";
import type { CollectiveAlgorithm } from "../team/call-words.ts";
import type { Op, Payload } from "../team/payload.ts";

const ENTRIES = 8;

interface Entry<T> {
  readonly x: TypedArray;
  /** The op; of a call that returns arrays the one for the result. */
  readonly term: Op | "" | Into | undefined;
  readonly root: number;
  readonly wish: CollectiveAlgorithm | undefined;
  readonly call: T;
}

/** The last calls of one collective. */
export class CallCache<T> {
  readonly #payload: Payload;
  readonly #entries: Entry<T>[] = [];
  #oldest = 0;
  #frees = 0;

  constructor(payload: Payload) {
    this.#payload = payload;
  }

  /** The cached call with the same array, term, root and requested algorithm. What is not in the heap has none. */
  find(x: unknown, term: Entry<T>["term"], root: number, wish: CollectiveAlgorithm | undefined): T | undefined {
    const entries = this.#entries;
    if (this.#frees !== this.#payload.frees) {
      this.#frees = this.#payload.frees;
      this.#oldest = 0;
      entries.length = 0;
    }
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i];
      if (entry.x === x && entry.term === term && entry.root === root && entry.wish === wish) return entry.call;
    }
    return undefined;
  }

  /** Caches a call in place of the oldest one. */
  keep(x: TypedArray, term: Entry<T>["term"], root: number, wish: CollectiveAlgorithm | undefined, call: T): T {
    this.#entries[this.#oldest] = { x, term, root, wish, call };
    this.#oldest = (this.#oldest + 1) % ENTRIES;
    return call;
  }
}

/**
 * Room for oversized items: blocks of the heap, counted over all PEs of a conveyor on the node, so that a PE that finds no room knows whether
 * oversized items take it, which makes room in the end, or it will never be there.
 *
 *     ┌───────────┬──────────┐
 *     │ BEGUN i32 │ OVER i32 │  two words of the conveyor's block, modulo 2^32
 *     └───────────┴──────────┘
 *
 * An oversized item is counted in BEGUN before its block is taken, and in OVER after it has been given back. So where OVER was equal to BEGUN
 * before a try, and BEGUN has not changed by its end, no oversized item took any room meanwhile.
 */
import { HeapError } from "../../base/errors.ts";
import type { Heap } from "../../memory/heap.ts";

const BEGUN = 0;
const OVER = 1;

/** The room of a conveyor's oversized items, seen from one PE. */
export class OversizedRoom {
  /** After a {@link take} that found no room: whether an oversized item of any PE took some meanwhile. */
  mayCome = false;
  readonly #heap: Heap;
  readonly #word: number;

  /** @param word of the heap, the first of two that are zero at first */
  constructor(heap: Heap, word: number) {
    this.#heap = heap;
    this.#word = word;
  }

  /** The byte offset of a block for an oversized item. @throws HeapError */
  take(bytes: number): number {
    const { i32 } = this.#heap;
    // in this order, as OVER is never larger; pairs with the addition in give(): what is over has been given back
    const over = Atomics.load(i32, this.#word + OVER);
    // pairs with itself and with the load below at the other PEs
    const begun = Atomics.add(i32, this.#word + BEGUN, 1);
    try {
      return this.#heap.allocate(bytes);
    } catch (error) {
      this.mayCome = over !== begun || Atomics.load(i32, this.#word + BEGUN) !== ((begun + 1) | 0);
      Atomics.add(i32, this.#word + OVER, 1);
      throw error;
    }
  }

  /** As {@link take}; 0 where there is no room now, but oversized items take some. @throws HeapError where none does */
  tryTake(bytes: number): number {
    try {
      return this.take(bytes);
    } catch (error) {
      if (error instanceof HeapError && this.mayCome) return 0;
      throw error;
    }
  }

  give(offset: number): void {
    this.#heap.free(offset);
    // pairs with the load in take()
    Atomics.add(this.#heap.i32, this.#word + OVER, 1);
  }
}

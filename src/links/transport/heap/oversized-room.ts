/**
 * Memory for oversized items: blocks of the heap, counted over all PEs of a conveyor on the node. So a PE that finds no
 * room knows whether oversized items occupy some, which will be freed, or whether there will never be room.
 *
 *     ┌───────────┬──────────┐
 *     │ BEGUN i32 │ OVER i32 │  two words of the conveyor's block, modulo 2^32
 *     └───────────┴──────────┘
 *
 * An oversized item is counted in BEGUN before its block is allocated, and in OVER after the block was freed. So if
 * OVER equalled BEGUN before an attempt, and BEGUN has not changed by its end, no oversized item occupied memory
 * meanwhile.
 */
import { HeapError } from "../../../ground/base/errors.ts";
import { release } from "../../../ground/memory/allocator.ts";
import type { Heap } from "../../../ground/memory/heap.ts";

const BEGUN = 0;
const OVER = 1;

/** As {@link OversizedRoom.give}, in the heap of another node, at byte `heap`. @param word index of the two words */
export function giveIn(i32: Int32Array, heap: number, offset: number, word: number): void {
  release(i32.subarray(heap / 4), offset);
  // pairs with the load in take()
  Atomics.add(i32, word + OVER, 1);
}

/** The memory of a conveyor's oversized items, as seen by one PE. */
export class OversizedRoom {
  /** After a {@link take} that found no room: whether an oversized item of any PE occupied some meanwhile. */
  mayCome = false;
  readonly #heap: Heap;
  readonly #word: number;

  /** @param word index of the first of two words of the heap, initially zero */
  constructor(heap: Heap, word: number) {
    this.#heap = heap;
    this.#word = word;
  }

  /** Allocates a block for an oversized item; returns its byte offset. @throws HeapError */
  take(bytes: number): number {
    const { i32 } = this.#heap;
    // loaded first, as OVER never exceeds BEGUN; pairs with the addition in give(): the blocks counted in OVER are free
    const over = Atomics.load(i32, this.#word + OVER);
    // pairs with the same addition and with the load below at the other PEs
    const begun = Atomics.add(i32, this.#word + BEGUN, 1);
    try {
      return this.#heap.allocate(bytes);
    } catch (error) {
      this.mayCome = over !== begun || Atomics.load(i32, this.#word + BEGUN) !== ((begun + 1) | 0);
      Atomics.add(i32, this.#word + OVER, 1);
      throw error;
    }
  }

  /** As {@link take}; 0 if there is no room now but oversized items occupy some. @throws HeapError if none do */
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

/**
 * Oversized items in the heap: the sender copies the bytes into a block of its own; the receiver reads them there.
 *
 *     block   ┌─────────────┬────────┬─────────────┐
 *             │ DROPPED i32 │ unused │ the bytes … │
 *             └─────────────┴────────┴─────────────┘
 *
 * A reference is the number of the block's first line. The sender frees the block: it polls DROPPED. A sender that
 * leaves marks the same word, and blocks dropped after that are freed by their receivers.
 */
import { roundUp } from "../../../ground/item/item-type.ts";
import type { Heap } from "../../../ground/memory/heap.ts";
import { LINE } from "../../../ground/memory/heap-layout.ts";
import type { Wakers } from "../../../ground/wait/wakers.ts";
import type { Oversized } from "../contract.ts";
import { OversizedRoom } from "./oversized-room.ts";

/** Values of DROPPED: the receiver has finished with it; the sender has left. */
const DONE_WITH = 1;
const ORPHANED = 2;

/** Largest number of oversized items of one PE in flight. */
export const MOST = 16;

/** This PE has finished with the item of the block at `at`. @returns whether it must free it, as its sender has left */
export const dropBlock = (i32: Int32Array, at: number): boolean =>
  // pairs with the load in HeapOversized.#pending(), and with the exchange in abandon()
  Atomics.exchange(i32, at / 4, DONE_WITH) === ORPHANED;

export class HeapOversized implements Oversized {
  readonly #heap: Heap;
  readonly #wakers: Wakers;
  readonly #members: readonly number[];
  readonly #maxBytes: number;
  readonly #room: OversizedRoom;
  /** Blocks that are not freed yet, with their sizes. */
  readonly #left: { readonly offset: number; readonly bytes: number }[] = [];
  #bytes = 0;

  /** @param maxBytes limit in flight; one oversized item is always allowed @param word see {@link OversizedRoom} */
  constructor(heap: Heap, wakers: Wakers, members: readonly number[], maxBytes: number, word: number) {
    this.#heap = heap;
    this.#wakers = wakers;
    this.#members = members;
    this.#maxBytes = maxBytes;
    this.#room = new OversizedRoom(heap, word);
  }

  leave(_dest: number, bytes: Uint8Array, length: number): number {
    const pending = this.#pending();
    // including the lines of the block itself
    const size = 2 * LINE + roundUp(length, LINE);
    if (pending >= MOST || (pending > 0 && this.#bytes + size > this.#maxBytes)) return 0;
    const offset = this.#room.tryTake(LINE + length);
    if (offset === 0) return 0;
    this.#heap.u8.set(bytes, offset + LINE);
    this.#left.push({ offset, bytes: size });
    this.#bytes += size;
    return offset / LINE;
  }

  find(_source: number, reference: number): number {
    return reference * LINE + LINE;
  }

  drop(source: number, reference: number): void {
    if (dropBlock(this.#heap.i32, reference * LINE)) this.#room.give(reference * LINE);
    else this.#wakers.notify(this.#members[source]);
  }

  abandon(): void {
    for (const { offset } of this.#left) {
      // pairs with the exchange in dropBlock(): the second of the two PEs frees
      if (Atomics.exchange(this.#heap.i32, offset / 4, ORPHANED) === DONE_WITH) this.#room.give(offset);
    }
    this.#left.length = 0;
    this.#bytes = 0;
  }

  sweep(): void {
    if (this.#left.length > 0) this.#pending();
  }

  get isEmpty(): boolean {
    return this.#left.length === 0 || this.#pending() === 0;
  }

  /** Number of items that are not dropped yet; frees the memory of the others. */
  #pending(): number {
    const left = this.#left;
    for (let i = left.length - 1; i >= 0; i--) {
      // pairs with the exchange in dropBlock()
      if (Atomics.load(this.#heap.i32, left[i].offset / 4) === 0) continue;
      this.#room.give(left[i].offset);
      this.#bytes -= left[i].bytes;
      left.splice(i, 1);
    }
    return left.length;
  }
}

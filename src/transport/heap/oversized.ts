/**
 * Oversized items in the heap: the sender copies the bytes into a block of its own, the receiver reads them there.
 *
 *     block   ┌─────────────┬────────┬─────────────┐
 *             │ DROPPED i32 │ unused │ the bytes … │
 *             └─────────────┴────────┴─────────────┘
 *
 * A reference is the number of the block's first line. The sender frees: it looks at DROPPED now and then. One
 * that goes says so in the same word, and what is dropped after that is freed by its receiver.
 */
import { roundUp } from "../../item/types.ts";
import type { Heap } from "../../memory/heap.ts";
import { LINE } from "../../memory/heap-layout.ts";
import type { Wakers } from "../../wait/wakers.ts";
import type { Oversized } from "../contract.ts";
import { OversizedRoom } from "./oversized-room.ts";

/** In the word DROPPED: the receiver needs it no more; the sender has gone. */
const DONE_WITH = 1;
const ORPHANED = 2;

/** Oversized items of one PE that may be under way at once. */
export const MOST = 16;

export class HeapOversized implements Oversized {
  readonly #heap: Heap;
  readonly #wakers: Wakers;
  readonly #members: readonly number[];
  readonly #maxBytes: number;
  readonly #room: OversizedRoom;
  /** Blocks that are not free yet, with their sizes. */
  readonly #left: { readonly offset: number; readonly bytes: number }[] = [];
  #bytes = 0;

  /**
   * @param maxBytes that may be under way at once; one oversized item always may
   * @param word of the heap, see {@link OversizedRoom}
   */
  constructor(heap: Heap, wakers: Wakers, members: readonly number[], maxBytes: number, word: number) {
    this.#heap = heap;
    this.#wakers = wakers;
    this.#members = members;
    this.#maxBytes = maxBytes;
    this.#room = new OversizedRoom(heap, word);
  }

  leave(_dest: number, bytes: Uint8Array, length: number): number {
    const pending = this.#pending();
    // with the lines of the block itself
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
    // pairs with the load in #pending(): this PE reads the block no more
    const before = Atomics.exchange(this.#heap.i32, (reference * LINE) / 4, DONE_WITH);
    if (before === ORPHANED) this.#room.give(reference * LINE);
    else this.#wakers.notify(this.#members[source]);
  }

  abandon(): void {
    for (const { offset } of this.#left) {
      // pairs with the exchange in drop(): the second of the two frees
      if (Atomics.exchange(this.#heap.i32, offset / 4, ORPHANED) === DONE_WITH) this.#room.give(offset);
    }
    this.#left.length = 0;
    this.#bytes = 0;
  }

  sweep(): void {
    if (this.#left.length > 0) this.#pending();
  }

  /** How many are not dropped yet; the memory of the others is given back. */
  #pending(): number {
    const left = this.#left;
    for (let i = left.length - 1; i >= 0; i--) {
      // pairs with the exchange in drop()
      if (Atomics.load(this.#heap.i32, left[i].offset / 4) === 0) continue;
      this.#room.give(left[i].offset);
      this.#bytes -= left[i].bytes;
      left.splice(i, 1);
    }
    return left.length;
  }
}

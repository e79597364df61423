/**
 * Parcels in the heap: the sender copies the bytes into a block of its own, the receiver reads them there.
 *
 *     block   ┌─────────────┬────────┬─────────────┐
 *             │ DROPPED i32 │ unused │ the bytes … │
 *             └─────────────┴────────┴─────────────┘
 *
 * A ticket is the number of the block's first line. Only the sender frees: it looks at DROPPED now and then.
 */
import { HeapError } from "../errors.ts";
import type { Heap } from "../memory/heap.ts";
import { LINE } from "../memory/heap-layout.ts";
import type { Bells } from "../wait/bells.ts";
import type { Parcels } from "./types.ts";

/** Parcels of one PE that may be under way at once. */
const MOST = 16;

export class HeapParcels implements Parcels {
  readonly #heap: Heap;
  readonly #bells: Bells;
  readonly #members: readonly number[];
  readonly #maxBytes: number;
  /** Blocks that are not free yet, with their sizes. */
  readonly #left: { readonly offset: number; readonly bytes: number }[] = [];
  #bytes = 0;

  /** @param maxBytes that may be under way at once; one parcel always may */
  constructor(heap: Heap, bells: Bells, members: readonly number[], maxBytes: number) {
    this.#heap = heap;
    this.#bells = bells;
    this.#members = members;
    this.#maxBytes = maxBytes;
  }

  leave(_dest: number, bytes: Uint8Array): number {
    const pending = this.pending();
    if (pending >= MOST || (pending > 0 && this.#bytes + bytes.length > this.#maxBytes)) return 0;
    let offset: number;
    try {
      offset = this.#heap.allocate(LINE + bytes.length);
    } catch (error) {
      // when others are dropped there may be room
      if (error instanceof HeapError && pending > 0) return 0;
      throw error;
    }
    this.#heap.u8.set(bytes, offset + LINE);
    this.#left.push({ offset, bytes: bytes.length });
    this.#bytes += bytes.length;
    return offset / LINE;
  }

  find(_source: number, ticket: number): number {
    return ticket * LINE + LINE;
  }

  drop(source: number, ticket: number): void {
    // pairs with the load in pending(): this PE reads the block no more
    this.#bells.post((ticket * LINE) / 4, 1, this.#bells.word(this.#members[source]));
  }

  pending(): number {
    const left = this.#left;
    for (let i = left.length - 1; i >= 0; i--) {
      // pairs with the post in drop()
      if (Atomics.load(this.#heap.i32, left[i].offset / 4) === 0) continue;
      this.#heap.free(left[i].offset);
      this.#bytes -= left[i].bytes;
      left.splice(i, 1);
    }
    return left.length;
  }
}

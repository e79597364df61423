/** Scratch memory of the heap for one thing at a time, which is kept from use to use unless it is large. */
import type { Heap } from "../../ground/memory/heap.ts";
import { EAGER_BYTES } from "../../links/transport/messages/layout.ts";

/** Larger memory is given back after each use. */
const KEPT_BYTES = 1 << 20;

/** One PE's. */
export class HeapScratch {
  readonly #heap: Heap;
  #at = 0;
  #bytes = 0;

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** Byte offset of `bytes` bytes at least; what was there is gone. @throws HeapError */
  take(bytes: number): number {
    if (bytes > this.#bytes || this.#bytes === 0) {
      this.free();
      // what fits in a message always finds room, so that short arrays of all lengths share it
      const room = Math.max(bytes, EAGER_BYTES);
      this.#at = this.#heap.allocate(room);
      this.#bytes = room;
    }
    return this.#at;
  }

  /** Gives up the content. */
  leave(): void {
    if (this.#bytes > KEPT_BYTES) this.free();
  }

  free(): void {
    if (this.#bytes > 0) this.#heap.free(this.#at);
    this.#bytes = 0;
  }
}

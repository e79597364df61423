/** Memory of the heap for one thing at a time, which is kept from use to use unless it is large. */
import type { Heap } from "../../memory/heap.ts";

/** Larger rooms are given back after each use. */
const KEPT_BYTES = 1 << 20;

/** One PE's. */
export class Room {
  readonly #heap: Heap;
  #at = 0;
  #bytes = 0;

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** Byte offset of `bytes` bytes; what was in the room is gone. @throws HeapError */
  take(bytes: number): number {
    if (bytes > this.#bytes) {
      this.free();
      this.#at = this.#heap.allocate(bytes);
      this.#bytes = bytes;
    }
    return this.#at;
  }

  /** What is in the room is not needed any more. */
  leave(): void {
    if (this.#bytes > KEPT_BYTES) this.free();
  }

  free(): void {
    if (this.#bytes > 0) this.#heap.free(this.#at);
    this.#bytes = 0;
  }
}

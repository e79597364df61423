/**
 * Staging: memory of one PE from which others read what does not lie in the heap itself.
 *
 *     ┌────────────────┬────────────────┬───────────────┬──────────────┐
 *     │ cell 0, a line │ cell 1, a line │ segment 0     │ segment 1    │  per PE, in the team's block
 *     └────────────────┴────────────────┴───────────────┴──────────────┘
 *
 * It lies in the team's block, so that collectives on numbers and arrays work in a full heap as well.
 * Only what has to be shown whole and is longer than a segment takes a block of its own, kept and grown.
 */
import type { Heap } from "../../memory/heap.ts";
import { LINE } from "../../memory/heap-layout.ts";

/** Bytes that are staged at a time where an algorithm goes segment by segment. */
export const SEGMENT_BYTES: number = 64 * 1024;

const bytesPerPE: number = 2 * LINE + 2 * SEGMENT_BYTES;

/** Bytes of the staging memory of a team: address space, touched only where it is used. */
export const stagingBytes = (size: number): number => size * bytesPerPE;

/** One PE's staging memory. */
export class Staging {
  readonly #heap: Heap;
  readonly #own: number;
  #whole = 0;
  #wholeBytes = 0;

  constructor(heap: Heap, offset: number, rank: number) {
    this.#heap = heap;
    this.#own = offset + rank * bytesPerPE;
  }

  /** The block of the heap that it has taken; 0 for none. It may not be used any more. */
  leave(): number {
    return this.#wholeBytes > 0 ? this.#whole : 0;
  }

  /** Byte offset of a line for a message's worth of elements. */
  cell(index: 0 | 1): number {
    return this.#own + index * LINE;
  }

  /** Byte offset of a segment. */
  segment(index: 0 | 1): number {
    return this.#own + 2 * LINE + index * SEGMENT_BYTES;
  }

  /** Byte offset of at least `bytes` bytes; what they held is gone. @throws HeapError when the heap is full */
  whole(bytes: number): number {
    if (bytes <= 2 * SEGMENT_BYTES) return this.segment(0);
    if (bytes > this.#wholeBytes) {
      if (this.#wholeBytes > 0) this.#heap.free(this.#whole);
      this.#wholeBytes = 0;
      this.#whole = this.#heap.allocate(bytes);
      this.#wholeBytes = bytes;
    }
    return this.#whole;
  }
}

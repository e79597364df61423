/**
 * Staging memory: memory of one PE from which others read data that is not in the heap itself.
 *
 *     ┌────────────────┬────────────────┬───────────────┬──────────────┐
 *     │ cell 0, a line │ cell 1, a line │ segment 0     │ segment 1    │  per PE, in the team's block
 *     └────────────────┴────────────────┴───────────────┴──────────────┘
 *
 * It is part of the team's block, so that collectives on numbers and arrays also work when the heap is full. Only data
 * that must be shown whole and is longer than a segment needs another block, which is kept and grown.
 */
import type { Heap } from "../../ground/memory/heap.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";
import type { StagingMemory } from "./medium.ts";
import { SEGMENT_BYTES, STAGING_BYTES } from "./team-block.ts";

/** One PE's staging memory. */
export class Staging implements StagingMemory {
  readonly #heap: Heap;
  readonly #own: number;
  #whole = 0;
  #wholeBytes = 0;

  constructor(heap: Heap, offset: number, rank: number) {
    this.#heap = heap;
    this.#own = offset + rank * STAGING_BYTES;
  }

  leave(): number {
    return this.#wholeBytes > 0 ? this.#whole : 0;
  }

  cell(index: 0 | 1): number {
    return this.#own + index * LINE;
  }

  segment(index: 0 | 1): number {
    return this.#own + 2 * LINE + index * SEGMENT_BYTES;
  }

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

/**
 * The exit of a team, where its PEs mark that they have left. The last one frees the memory, as until then another PE
 * may still read messages.
 *
 *     ┌──────────┬─────────────────────────────────────┐
 *     │ LEFT i32 │ BEHIND u32 of PE 0, of PE 1, …      │  the first lines of the team's block
 *     └──────────┴─────────────────────────────────────┘
 *
 * LEFT counts the PEs that have left; BEHIND is a block of the heap that a PE allocated for the team, 0 for none.
 *
 * Source: MPI_Comm_free (MPI 4.1, section 7.4.3), which is deferred until no process uses the group any more.
 */
import type { Heap } from "../../ground/memory/heap.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";

const LEFT = 0;
const BEHIND = 1;

/** Bytes of the exit of a team. */
export const exitBytes = (size: number): number => Math.ceil((4 * (BEHIND + size)) / LINE) * LINE;

/** The exit, as seen by one PE of a team. */
export class Exit {
  readonly #heap: Heap;
  readonly #offset: number;
  readonly #rank: number;
  readonly #size: number;

  /** @param offset byte offset of the team's block, which is freed as a whole */
  constructor(heap: Heap, offset: number, rank: number, size: number) {
    this.#heap = heap;
    this.#offset = offset;
    this.#rank = rank;
    this.#size = size;
  }

  /** This PE leaves, with a block of the heap to free; 0 for none. */
  leave(block: number): void {
    const { i32 } = this.#heap;
    const at = this.#offset / 4;
    i32[at + BEHIND + this.#rank] = block;
    // pairs with the same addition at the other PEs: the last one sees the blocks of all
    if (Atomics.add(i32, at + LEFT, 1) + 1 < this.#size) return;
    for (let rank = 0; rank < this.#size; rank++) {
      const behind = i32[at + BEHIND + rank] >>> 0;
      if (behind !== 0) this.#heap.free(behind);
    }
    this.#heap.free(this.#offset);
  }
}

/** What the loops of a group keep from one to the next: their memory, and which of its slots is in use. */
import type { Heap } from "../../ground/memory/heap.ts";
import type { Seat } from "../../pe/seat.ts";
import { blockOf } from "../resilient/block.ts";
import { barrier, type LoopEnd } from "./endings.ts";
import { type LoopKernels, loopKernels } from "./kernels/kernels.ts";
import {
  blockBytes,
  controlOf,
  DONE,
  FIXED_BLOCKS,
  LEFT,
  lineOf,
  SLOTS,
  STEALS,
  STOP,
  VALUES_BYTES,
  victimsOf,
} from "./layout.ts";
import { victimsBy } from "./victims.ts";

/** A slot as its PE uses it: byte offsets in the heap. */
export interface Slot {
  readonly number: number;
  readonly control: number;
  /** The line of this PE. */
  readonly line: number;
  /** The words that it clears. A word that is 0 is not written, so that others keep the line in their caches. */
  readonly cleared: readonly number[];
  /** That of each PE: the word LEFT, and DONE. */
  readonly left: readonly number[];
  readonly done: readonly number[];
}

/** The loops of a group, at one of its PEs. */
export class LoopArea {
  readonly seat: Seat;
  readonly heap: Heap;
  readonly kernels: LoopKernels;
  /** Where its victims are. */
  readonly victims: number;
  /** The loop that this PE is in; "" for none. */
  call = "";
  /** The loop whose barrier is still to come, as it was not to wait, and what has stopped it at this PE. */
  unended: { readonly slot: Slot; readonly error: unknown } | null = null;
  /** The last loop. */
  last: { told(): string } | null = null;
  /** The end of loops without a result. */
  readonly barrier: LoopEnd<undefined>;
  readonly #slots: readonly Slot[];
  #values = -1;
  #current = 0;

  constructor(seat: Seat) {
    const { heap, rank, size } = seat;
    const at = blockOf(seat, blockBytes(size), "loops");
    this.seat = seat;
    this.barrier = barrier(seat);
    this.heap = heap;
    this.kernels = loopKernels(heap.memory);
    this.victims = at + victimsOf(size, rank);
    heap.i32.set(victimsBy(seat), this.victims / 4);
    this.#slots = Array.from({ length: SLOTS }, (_, slot) => {
      const words = (field: number) =>
        Array.from({ length: size }, (_, pe) => (at + lineOf(size, slot, pe) + field) / 4);
      const control = at + controlOf(size, slot);
      const line = at + lineOf(size, slot, rank);
      const own = [0, 4, STEALS, DONE, LEFT].map((field) => (line + field) / 4);
      return {
        number: slot,
        control,
        line,
        cleared: rank === 0 ? [...own, ...[0, 4, STOP].map((field) => (control + field) / 4)] : own,
        left: words(LEFT),
        done: words(DONE),
      };
    });
  }

  /** The slot of the next loop. All PEs have left the loop before; the slot of the loop after is cleared. */
  advance(): Slot {
    const { i32 } = this.heap;
    this.#current = (this.#current + 1) % SLOTS;
    const after = this.#slots[(this.#current + 1) % SLOTS] as Slot;
    // untouched: what others have stored there they have stored before the barrier at the end of that loop
    for (const word of after.cleared) if (i32[word] !== 0) i32[word] = 0;
    return this.#slots[this.#current] as Slot;
  }

  /** Index in `heap.f64` of the values of the fixed blocks of a loop. Made with the other PEs at first use. */
  valuesOf({ number }: Slot): number {
    if (this.#values < 0) this.#values = blockOf(this.seat, VALUES_BYTES, "values of loops");
    return this.#values / 8 + number * FIXED_BLOCKS;
  }
}

const NO_LOOP = "This PE has run no loop in this group.";

const areas = new WeakMap<Seat, LoopArea>();

/** Those of a seat: made at the first loop. @throws HeapError */
export function areaOf(seat: Seat): LoopArea {
  let area = areas.get(seat);
  if (area === undefined) {
    area = new LoopArea(seat);
    areas.set(seat, area);
  }
  return area;
}

/** The last loop of a seat, in words. */
export const lastLoopOf = (seat: Seat): string => areas.get(seat)?.last?.told() ?? NO_LOOP;

/** What the loops of a group keep from one to the next: their memory, and which of its slots is in use. */

import type { Heap } from "../../../ground/memory/heap.ts";
import type { UnderWay } from "../../../links/transport/underway.ts";
import type { Seat } from "../../../pe/seat.ts";
import { blockOf } from "../../resilient/block.ts";
import { type LoopKernels, loopKernels } from "../kernels/kernels.ts";
import { Partners } from "../partners/partners.ts";
import { barrier, type LoopEnd, none } from "./endings.ts";
import {
  AWAITS,
  blockBytes,
  controlOf,
  DONE,
  FIXED_BLOCKS,
  GONE,
  LAST,
  LEFT,
  lineOf,
  NEXT,
  NODES,
  SLOTS,
  type Slot,
  STEALS,
  STOP,
  VALUES_BYTES,
  victimsOf,
  WAITED,
} from "./layout.ts";
import { victimsBy } from "./victims.ts";

/** A loop that has not waited, and what has stopped it at this PE. */
export interface UnendedLoop extends UnderWay {
  readonly slot: Slot;
  readonly error: unknown;
}

/** Iterations of a node. */
export interface NodeShare {
  from: number;
  count: number;
}

/** The loops of a group, at one of its PEs. */
export class LoopArea {
  readonly seat: Seat;
  readonly heap: Heap;
  readonly kernels: LoopKernels;
  /** The place of this PE among those of the group on its node, and their number. */
  readonly place: number;
  readonly pes: number;
  /** Over nodes; null for a group of one node. */
  readonly partners: Partners | null;
  /** Where its victims are. */
  readonly victims: number;
  /** The loop that this PE is in; "" for none. */
  call = "";
  /** The loop whose barrier is still to come. */
  unended: UnendedLoop | null = null;
  /** Loops that have begun at this PE. */
  loops = 0;
  /** The end of loops without a result. Over nodes all PEs agree in any case whether one has stopped the loop. */
  readonly barrier: LoopEnd<undefined>;
  readonly #slots: readonly Slot[];
  /** PEs of the nodes before this one. */
  readonly #before: number;
  #values = -1;
  #current = 0;

  constructor(seat: Seat) {
    const { heap, here, nodeOf, rank, size } = seat;
    const pes = here.length;
    const place = here.indexOf(rank);
    const at = blockOf(seat, blockBytes(pes), "loops");
    const nodes = [...new Set(nodeOf)];
    const before = nodes.slice(0, nodes.indexOf(nodeOf[rank] as number));
    this.seat = seat;
    this.place = place;
    this.pes = pes;
    this.#before = nodeOf.filter((node) => before.includes(node)).length;
    this.partners = pes === size ? null : new Partners(seat);
    this.barrier = pes === size ? barrier(seat) : none;
    this.heap = heap;
    this.kernels = loopKernels(heap.memory);
    this.victims = at + victimsOf(pes, place);
    const victims = victimsBy(seat).flatMap((near) => near.map((pe, i) => (i === near.length - 1 ? pe | LAST : pe)));
    heap.i32.set(victims, this.victims / 4);
    this.#slots = Array.from({ length: SLOTS }, (_, slot) => {
      const words = (field: number) => Array.from({ length: pes }, (_, pe) => (at + lineOf(pes, slot, pe) + field) / 4);
      const control = at + controlOf(pes, slot);
      const line = at + lineOf(pes, slot, place);
      const own = [0, 4, STEALS, DONE, LEFT, AWAITS].map((field) => (line + field) / 4);
      const common = [0, 4, STOP, GONE, NODES, NEXT, WAITED].map((field) => (control + field) / 4);
      return {
        number: slot,
        control,
        line,
        cleared: place === 0 ? [...own, ...common] : own,
        left: words(LEFT),
        done: words(DONE),
      };
    });
  }

  /** Sets the iterations of this node: all of them on each, or blocks by node, in proportion to their PEs. */
  share(count: number, share: NodeShare, isOnEach: boolean): void {
    const { size } = this.seat;
    const from = isOnEach ? 0 : Math.floor((this.#before * count) / size);
    share.from = from;
    share.count = isOnEach ? count : Math.floor(((this.#before + this.pes) * count) / size) - from;
  }

  /** The slot of the next loop. All PEs have left the loop before; the slot of the loop after is cleared. */
  advance(): Slot {
    const { i32 } = this.heap;
    this.loops++;
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

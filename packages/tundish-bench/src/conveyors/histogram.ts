/**
 * Histogram: random elements of a table that is spread over all PEs are counted at their PE.
 *
 * The program of bale's apps and of items.c: 4-byte slots, destinations computed before, 10000 elements of each PE.
 */

import type { ConveyorJob, LoopKind, Sessions } from "../../../../microbench/conveyors/job.ts";
import { randomArray } from "../../../../microbench/turns/random.ts";
import { type Conveyor, conveyor } from "../../../../src/conveyor.ts";
import { type PE, type Scalar, u32 } from "../../../../src/index.ts";

/** Items of which a PE has the indices: as in the C program (items.c). */
export const REQUESTS: number = 2 ** 20;

const TABLE = 10_000;

type Slots = Conveyor<Scalar<number, "u32">>;
type Loop = (c: Slots, counts: Uint32Array, dests: Uint32Array, slots: Uint32Array) => void;

const COUNT = { op: "count" } as const;

const LOOPS: Readonly<Record<LoopKind, Loop>> = {
  "item-wise": (c, counts, dests, slots) => {
    c.begin();
    for (let i = 0; c.advance(i === slots.length); ) {
      for (; i < slots.length; i++) if (!c.push(dests[i], slots[i])) break;
      while (c.pull()) counts[c.item]++;
    }
    c.reset();
  },
  "batch-wise": (c, counts, dests, slots) => {
    c.begin();
    for (let i = 0; c.advance(i === slots.length); ) {
      i = c.pushAll(dests, slots, i);
      c.accumulate(counts, COUNT);
    }
    c.reset();
  },
  run: (c, counts, dests, slots) => {
    c.run(
      (push) => {
        for (let i = 0; i < slots.length; i++) push(dests[i], slots[i]);
      },
      (slot) => {
        counts[slot]++;
      },
    );
  },
};

/** Prepares everything that is not timed. Collective. */
export function histogram(pe: PE, { way, options }: Pick<ConveyorJob, "way" | "options">): Sessions {
  const loop = LOOPS[way];
  const c = conveyor(pe, u32, options);
  const dests = randomArray(REQUESTS, pe.size, 2 * pe.rank);
  const slots = randomArray(REQUESTS, TABLE, 2 * pe.rank + 1);
  const counts = way === "batch-wise" ? pe.alloc(Uint32Array, TABLE) : new Uint32Array(TABLE);
  const expected = new Map<number, Float64Array>();
  let pushed = 0;
  /** Of this PE, when each has pushed that many. Collective. */
  const expectedOf = (items: number): Float64Array => {
    const all = new Float64Array(TABLE * pe.size);
    for (let i = 0; i < items; i++) all[TABLE * dests[i] + slots[i]]++;
    pe.allreduce(all, "sum");
    return all.slice(TABLE * pe.rank, TABLE * (pe.rank + 1));
  };
  return {
    most: REQUESTS,
    session: (items) => {
      pushed = items;
      loop(c, counts, dests.subarray(0, items), slots.subarray(0, items));
    },
    check: () => {
      const right = expected.get(pushed) ?? expectedOf(pushed);
      expected.set(pushed, right);
      const wrong = counts.findIndex((count, slot) => count !== right[slot]);
      if (wrong !== -1) {
        throw new Error(`PE ${pe.rank}: slot ${wrong}: expected ${right[wrong]}, got ${counts[wrong]}`);
      }
      counts.fill(0);
    },
  };
}

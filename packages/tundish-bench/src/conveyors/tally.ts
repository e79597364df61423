/**
 * The programs of the break-even: random keys are counted in a table of 2^22 counters, by one PE in a plain loop, or by
 * several of which each has a part of the keys and of the table. A key goes to its PE by a conveyor, as columns. The
 * table is larger than the caches of a core, as there is nothing to gain where a core can do it all in a nanosecond.
 */

import { randomArray } from "../../../../microbench/turns/random.ts";
import { conveyor } from "../../../../src/conveyor.ts";
import { type PE, u32 } from "../../../../src/index.ts";

/** Counters of all PEs together: a power of two, so that no division finds the PE of a key. */
const TABLE_BITS = 22;
const TABLE = 2 ** TABLE_BITS;
/** Keys whose destinations are computed at once: they stay in the caches. */
const CHUNK = 2 ** 12;

/** The keys of one PE. */
export interface Tally {
  /** Counts all of them. Collective. */
  count(): void;
  /** The sum of this PE's counters. */
  total(): number;
  /** Sets them to 0. */
  clear(): void;
}

function sumOf(counts: Uint32Array): number {
  let sum = 0;
  for (let i = 0; i < counts.length; i++) sum += counts[i];
  return sum;
}

/** One PE. */
export function alone(items: number): Tally {
  const keys = randomArray(items, TABLE, 1);
  const counts = new Uint32Array(TABLE);
  return {
    count: () => {
      for (let i = 0; i < keys.length; i++) counts[keys[i]]++;
    },
    total: () => sumOf(counts),
    clear: () => counts.fill(0),
  };
}

/** Several PEs, each with a range of the keys. Collective. */
export function byConveyor(pe: PE, items: number): Tally {
  const { rank, size } = pe;
  const own = Math.floor((items * (rank + 1)) / size) - Math.floor((items * rank) / size);
  const keys = randomArray(own, TABLE, rank + 1);
  const counts = new Uint32Array(Math.ceil(TABLE / size));
  const starts = Uint32Array.from({ length: size }, (_, i) => Math.ceil((i * TABLE) / size));
  const c = conveyor(pe, u32);
  const dests = new Uint32Array(CHUNK);
  const slots = new Uint32Array(CHUNK);
  return {
    count: () => {
      let [from, to, i] = [0, 0, 0];
      c.begin();
      while (c.advance(i === to && to === own)) {
        if (i === to && to < own) {
          [from, to] = [to, Math.min(own, to + CHUNK)];
          for (let k = from; k < to; k++) {
            const dest = Math.imul(keys[k], size) >>> TABLE_BITS;
            dests[k - from] = dest;
            slots[k - from] = keys[k] - starts[dest];
          }
        }
        i = from + c.pushAll(dests, slots, i - from, to - from);
        for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
          const { columns, count } = batch;
          for (let j = 0; j < count; j++) counts[columns[j]]++;
        }
      }
      c.reset();
    },
    total: () => sumOf(counts),
    clear: () => counts.fill(0),
  };
}

/** The program of our PEs in `bench mpi`. */

import { WARM_ITEMS } from "../../../../microbench/conveyors/job.ts";
import { PAYLOADS } from "../../../../microbench/conveyors/payloads.ts";
import { streamThrough } from "../../../../microbench/conveyors/stream.ts";
import { conveyor } from "../../../../src/conveyor.ts";
import { exchange } from "../../../../src/exchange.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { forEach } from "../../../../src/loop.ts";
import {
  type BatchVolume,
  type Operations,
  type Samples,
  timeBatches,
} from "../../../../src/running/contest/batches.ts";
import { UNEVEN } from "../loops/works.ts";
import { ARRAYS, exchangeText, loopText, type MpiJob, PARTS_UNDER, partsText, SCHEDULES, WAYS } from "./jobs.ts";

/** The result of a PE. */
export interface MpiAnswer {
  /** Whether it is bound to a CPU. */
  readonly bound: boolean;
  readonly entries: readonly (Samples & { readonly name: string })[];
}

/** Warm-up before the timed part, in batches: V8 compiles meanwhile. A third of a second, unless in quick mode. */
const WARM_BATCHES = 75;
/** The same before each load, whose sessions begin and end more or less often than the others. */
const WARM_BATCHES_OF_LOAD = 20;
/** Collectives between two reads of the clock. */
const WARM_COUNT = 50;

const program: Spmd = spmd((pe: PE, args: unknown): MpiAnswer => {
  const job = args as MpiJob;
  return { bound: pe.cpu !== null, entries: entriesOf(pe, job) };
});

function entriesOf(pe: PE, job: MpiJob): MpiAnswer["entries"] {
  if (job.kind === "collectives") return collectives(pe, job);
  if (job.kind === "loops") return loops(pe, job);
  return job.kind === "exchange" ? exchanges(pe, job) : exchangesOfParts(pe, job);
}

/** The first PE and the last are the root in turn, as in nodes-collectives.c. */
function collectives(pe: PE, { volume }: MpiJob): MpiAnswer["entries"] {
  const last = pe.size - 1;
  const sum = (pe.size * (pe.size - 1)) / 2;
  const operations: [what: string, Operations][] = [
    [
      "barrier",
      (count) => {
        for (let i = 0; i < count; i++) pe.barrier();
      },
    ],
    [
      "broadcast of a number",
      (count) => {
        for (let i = 0; i < count; i++) {
          const root = i & 1 ? last : 0;
          if (pe.broadcast(i + pe.rank, root) !== i + root) throw new Error("wrong broadcast of a number");
        }
      },
    ],
    [
      "allreduce of a number",
      (count) => {
        for (let i = 0; i < count; i++) {
          if (pe.allreduce(i + pe.rank, "sum") !== i * pe.size + sum) throw new Error("wrong sum");
        }
      },
    ],
  ];
  for (const [size, bytes] of Object.entries(ARRAYS)) {
    const array = pe.alloc(Float64Array, bytes / 8);
    check(pe, array);
    operations.push(
      [
        `broadcast, ${size}`,
        (count) => {
          for (let i = 0; i < count; i++) pe.broadcast(array, i & 1 ? last : 0);
        },
      ],
      [
        `allreduce, ${size}`,
        // sums of zeros stay zeros; others would grow without bound in place
        (count) => {
          for (let i = 0; i < count; i++) pe.allreduce(array, "sum");
        },
      ],
    );
  }
  return operations.flatMap((one) => {
    warm(pe, volume, () => one[1](WARM_COUNT));
    return timeBatches(pe, [one], volume).map((samples) => ({ name: "tundish", ...samples }));
  });
}

/** Repeats an operation for so many batches, the same number of times at all PEs. */
function warm(pe: PE, { batchMs }: BatchVolume, work: () => void, batches = WARM_BATCHES): void {
  const begun = performance.now();
  do work();
  while (pe.broadcast(performance.now() - begun < batches * batchMs, 0));
}

/** Checks that the timed arrays are broadcast and summed correctly; leaves them zero. */
function check(pe: PE, array: Float64Array): void {
  pe.broadcast(array.fill(pe.rank + 1), pe.size - 1);
  if (array.some((value) => value !== pe.size)) throw new Error(`wrong broadcast of ${array.length}`);
  pe.allreduce(array, "sum");
  if (array.some((value) => value !== pe.size * pe.size)) throw new Error(`wrong sum of ${array.length}`);
  array.fill(0);
}

/** A triangular loop: the first node has three quarters of the work. */
function loops(pe: PE, { quick, volume }: Extract<MpiJob, { kind: "loops" }>): MpiAnswer["entries"] {
  const { count, one } = UNEVEN.triangle(quick);
  let expected = 0;
  for (let i = 0; i < count; i++) expected += one(i);
  const operations = SCHEDULES.map((schedule): [string, Operations] => [
    loopText(schedule),
    (times) => {
      for (let k = 0; k < times; k++) {
        const sum = forEach(pe, count, one, { schedule, reduce: "sum" });
        if (sum !== expected) throw new Error(`wrong sum of a ${schedule} loop`);
      }
    },
  ]);
  return timeBatches(pe, operations, volume, 1).map((samples) => ({ name: "tundish", ...samples }));
}

/** Small loads first; each session ends when all items were received by all PEs, and they are checked. */
function exchanges(pe: PE, { size, loads, volume }: Extract<MpiJob, { kind: "exchange" }>): MpiAnswer["entries"] {
  const c = conveyor(pe, PAYLOADS[size].item);
  const ways = WAYS.map((one) => ({ ...one, ...streamThrough(pe, c, size, one.way) }));
  for (const { session } of ways) warm(pe, volume, () => session(WARM_ITEMS));
  return loads.flatMap((load) =>
    ways.flatMap(({ name, streams, session, check }) => {
      const items = load * pe.size;
      const run: Operations = (count) => {
        const sessions = streams ? 1 : count;
        for (let i = 0; i < sessions; i++) {
          session(streams ? count * items : items);
          check();
        }
      };
      warm(pe, volume, () => run(1), WARM_BATCHES_OF_LOAD);
      const timed = timeBatches(pe, [[exchangeText(size, load), run]], volume, 1);
      return timed.map((samples) => ({ name, ...samples }));
    }),
  );
}

/** Small parts first; both ends of each part that has come are compared with what was sent, as in nodes-alltoallv.c. */
function exchangesOfParts(pe: PE, { parts, volume }: Extract<MpiJob, { kind: "parts" }>): MpiAnswer["entries"] {
  return PARTS_UNDER.flatMap((discipline) => {
    const x = exchange(pe, { discipline });
    const entries = parts.flatMap((bytes) => {
      const mark = (from: number, to: number) => 1 + from * pe.size + to;
      const own = Array.from({ length: pe.size }, (_, to) => new Float64Array(bytes / 8).fill(mark(pe.rank, to)));
      const run: Operations = (count) => {
        for (let i = 0; i < count; i++) {
          for (const [from, part] of x.all(own).entries()) {
            const expected = mark(from, pe.rank);
            if (part[0] !== expected || part.at(-1) !== expected) throw new Error("a part is not as sent");
          }
        }
      };
      warm(pe, volume, () => run(1), WARM_BATCHES_OF_LOAD);
      const timed = timeBatches(pe, [[partsText(bytes), run]], volume, 1);
      return timed.map((samples) => ({ name: `tundish, ${discipline}`, ...samples }));
    });
    x.free();
    return entries;
  });
}

export default program;

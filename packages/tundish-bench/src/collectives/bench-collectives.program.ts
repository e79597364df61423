/** The program of our PEs in `bench collectives`: one of some jobs. */

import { threadCpuTime } from "../../../../microbench/pairs/clock.ts";
import { distanceProbe, type ProbeWords } from "../../../../microbench/turns/distance.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { pinThread } from "../../../../src/machine/topology/affinity.ts";
import {
  type BatchVolume,
  type Operations,
  type Samples,
  timeBatches,
} from "../../../../src/running/contest/batches.ts";
import { movesInTurn } from "./moves.ts";

type Probe = ReturnType<typeof distanceProbe>;

/** The selection to measure. */
export type BenchJob =
  | ({ readonly kind: "all"; readonly volume: BatchVolume } & ProbeWords)
  /** Arrays that go from each PE to all, by our calls and by hand. */
  | ({ readonly kind: "moves"; readonly volume: BatchVolume } & ProbeWords)
  /** The calls that go by messages, to compare channels; and the barrier, which does not. */
  | ({ readonly kind: "short"; readonly volume: BatchVolume } & ProbeWords)
  /** The barrier of more PEs than the CPUs that they share. */
  | { readonly kind: "oversubscribed"; readonly cpus: readonly number[]; readonly volume: BatchVolume }
  /** The CPU time of a PE that waits for this long. */
  | { readonly kind: "idle"; readonly ms: number };

/** The result of a PE. */
export interface BenchAnswer {
  /** Whether it is bound to a CPU. */
  readonly bound: boolean;
  readonly samples: readonly Samples[];
  /** Of the same by hand. */
  readonly byHand: readonly Samples[];
  /** For `idle`: CPU time in ns per second of waiting; null at rank 0 and if the system does not report it. */
  readonly idle: number | null;
}

const KIB_64 = 8192;
const MIB = 131_072;
/** Elements of an array that is as long as short ones get: two messages. */
const SHORT = 14;
/** The time before the CPU clock is read, ms: it is exact just after a sleep. */
const SLEEP_MS = 10;

const program: Spmd = spmd((pe: PE, args: unknown): BenchAnswer => {
  const job = args as BenchJob;
  return {
    bound: pe.cpu !== null,
    ...(job.kind === "moves" ? moved(pe, job) : { samples: samplesOf(pe, job), byHand: [] }),
    idle: job.kind === "idle" ? idle(pe, job.ms) : null,
  };
});

function samplesOf(pe: PE, job: BenchJob): Samples[] {
  if (job.kind === "all") return all(pe, job.volume, distanceProbe(pe, job.words));
  if (job.kind === "short") return short(pe, job.volume, distanceProbe(pe, job.words));
  return job.kind === "oversubscribed" ? oversubscribed(pe, job) : [];
}

/** From so many bytes on batches are longer, as what was in the caches is gone after those of the others. */
const LONG_BYTES = 2 ** 20;

function moved(
  pe: PE,
  { volume, words }: Extract<BenchJob, { kind: "moves" }>,
): Pick<BenchAnswer, "samples" | "byHand"> {
  const probe = distanceProbe(pe, words);
  const all: { readonly samples: Samples[]; readonly byHand: Samples[] } = { samples: [], byHand: [] };
  for (const { ours, byHand, bytes } of movesInTurn(pe)) {
    const operations = [...Object.entries(byHand), ...Object.entries(ours)];
    const batchMs = bytes >= LONG_BYTES ? 5 * volume.batchMs : volume.batchMs;
    const [first, ...others] = timeBatches(pe, operations, { ...volume, batchMs }, 2, probe);
    all.byHand.push(first as Samples);
    all.samples.push(...others);
  }
  return all;
}

/** Broadcasts come from the first PE and the last in turn: from one alone it could run ahead of the others. */
function all(pe: PE, volume: BatchVolume, probe: Probe): Samples[] {
  const last = pe.size - 1;
  const sum = (pe.size * (pe.size - 1)) / 2;
  const medium = pe.alloc(Float64Array, KIB_64);
  const large = pe.alloc(Float64Array, MIB);
  const used = pe.alloc(Float64Array, KIB_64);
  const operations: Record<string, Operations> = {
    barrier: (count) => {
      for (let i = 0; i < count; i++) pe.barrier();
    },
    "broadcast 8 B": (count) => {
      let got = 0;
      for (let i = 0; i < count; i++) got = pe.broadcast(i + pe.rank, i & 1 ? last : 0);
      if (got !== count - 1 + (count & 1 ? 0 : last)) throw new Error(`wrong broadcast: ${got}`);
    },
    "broadcast 64 KiB": (count) => {
      for (let i = 0; i < count; i++) pe.broadcast(medium, i & 1 ? last : 0);
    },
    // as in a program: the root writes a number into every cache line, the others read them all
    "broadcast 64 KiB, written and read": (count) => {
      for (let i = 0; i < count; i++) {
        const root = i & 1 ? last : 0;
        if (pe.rank === root) for (let j = 0; j < KIB_64; j += 8) used[j] = i;
        pe.broadcast(used, root);
        if (pe.rank === root) continue;
        let all = 0;
        for (let j = 0; j < KIB_64; j += 8) all += used[j];
        if (all !== (KIB_64 / 8) * i) throw new Error(`wrong broadcast: ${all}`);
      }
    },
    "broadcast 1 MiB": (count) => {
      for (let i = 0; i < count; i++) pe.broadcast(large, i & 1 ? last : 0);
    },
    "allreduce f64": (count) => {
      for (let i = 0; i < count; i++) {
        if (pe.allreduce(i + pe.rank, "sum") !== i * pe.size + sum) throw new Error("wrong sum");
      }
    },
    // sums of zeros stay zeros; others would grow without bound in place
    "allreduce f64[8192]": (count) => {
      for (let i = 0; i < count; i++) pe.allreduce(medium, "sum");
    },
  };
  check(pe, medium);
  check(pe, large);
  return Object.entries(operations).flatMap((operation) => timeBatches(pe, [operation], volume, 2, probe));
}

/** Roots in turn, as in {@link all}; checked as there. */
function short(pe: PE, volume: BatchVolume, probe: Probe): Samples[] {
  const last = pe.size - 1;
  const sum = (pe.size * (pe.size - 1)) / 2;
  const array = pe.alloc(Float64Array, SHORT);
  const operations: Record<string, Operations> = {
    barrier: (count) => {
      for (let i = 0; i < count; i++) pe.barrier();
    },
    "broadcast f64": (count) => {
      for (let i = 0; i < count; i++) {
        const root = i & 1 ? last : 0;
        if (pe.broadcast(i + pe.rank, root) !== i + root) throw new Error("wrong broadcast");
      }
    },
    "reduce f64": (count) => {
      for (let i = 0; i < count; i++) {
        const root = i & 1 ? last : 0;
        const got = pe.reduce(i + pe.rank, "sum", root);
        if (pe.rank === root && got !== i * pe.size + sum) throw new Error("wrong sum");
      }
    },
    "allreduce f64": (count) => {
      for (let i = 0; i < count; i++) {
        if (pe.allreduce(i + pe.rank, "sum") !== i * pe.size + sum) throw new Error("wrong sum");
      }
    },
    [`allreduce f64[${SHORT}]`]: (count) => {
      for (let i = 0; i < count; i++) pe.allreduce(array, "sum");
    },
    // nobody waits for the root, so the channel is full
    "broadcast f64, one root": (count) => {
      for (let i = 0; i < count; i++) pe.broadcast(i, 0);
    },
  };
  return Object.entries(operations).flatMap((operation) => timeBatches(pe, [operation], volume, 2, probe));
}

/** The arrays that are timed do arrive and are summed; leaves them zero. */
function check(pe: PE, array: Float64Array): void {
  const last = pe.size - 1;
  pe.broadcast(array.fill(pe.rank + 1), last);
  if (array.some((value) => value !== pe.size)) throw new Error(`wrong broadcast of ${array.length}`);
  pe.allreduce(array, "sum");
  if (array.some((value) => value !== pe.size * pe.size)) throw new Error(`wrong sum of ${array.length}`);
  array.fill(0);
}

/** First each PE on one CPU, as launch() binds them; then all on all, as MPI's ranks are measured. */
function oversubscribed(pe: PE, { cpus, volume }: Extract<BenchJob, { kind: "oversubscribed" }>): Samples[] {
  const barriers: Operations = (count) => {
    for (let i = 0; i < count; i++) pe.barrier();
  };
  const what = `barrier, ${pe.size} PEs`;
  const bound = timeBatches(pe, [[`${what}, one CPU each`, barriers]], volume);
  pinThread(cpus);
  return [...timeBatches(pe, [[what, barriers]], volume), ...bound];
}

/** Rank 0 is late at a barrier; measures the CPU time that the others use until then. */
function idle(pe: PE, ms: number): number | null {
  const sleep = new Int32Array(new SharedArrayBuffer(4));
  pe.barrier();
  Atomics.wait(sleep, 0, 0, pe.rank === 0 ? ms + SLEEP_MS : SLEEP_MS);
  const before = threadCpuTime();
  const start = performance.now();
  pe.barrier();
  const after = threadCpuTime();
  if (pe.rank === 0 || before === null || after === null) return null;
  return ((after - before) / (performance.now() - start)) * 1e3;
}

export default program;

/** The program of our PEs in the curves by size: a barrier, and each call at each size by the library's algorithm. */

import type { Choosable } from "../../src/collectives/calls/decide.ts";
import { type PE, type Spmd, spmd } from "../../src/index.ts";
import { type BatchVolume, type Operations, type Samples, timeBatches } from "../../src/running/contest/batches.ts";
import { distanceProbe, type ProbeWords } from "../turns/distance.ts";
import { operationsOf } from "./operations.ts";

/** The measured sizes of a call: a barrier has no bytes, an alltoall as many for each PE. */
export type SizedCall = Choosable | "barrier" | "alltoall" | "gather";

/** The measurements to make. */
export interface SizesJob extends ProbeWords {
  /** Bytes, multiples of 8: 8 is a number, the others are arrays from `pe.alloc`; of alltoall and gather new ones. */
  readonly sizes: readonly number[];
  readonly volume: BatchVolume;
}

/** The result of a PE. */
export interface SizesAnswer {
  /** Whether it is bound to a CPU. */
  readonly bound: boolean;
  readonly timed: readonly (Samples & { readonly call: SizedCall; readonly bytes: number })[];
}

const CALLS: readonly Choosable[] = ["broadcast", "reduce", "allreduce"];
const NUMBER = 8;
/** The most that an alltoall sends and a gather returns, bytes: their results are in memory of their own. */
const MOST_PARTS = 2 ** 20;

const program: Spmd = spmd((pe: PE, args: unknown): SizesAnswer => {
  const { sizes, volume, words } = args as SizesJob;
  const probe = distanceProbe(pe, words);
  const time = (call: SizedCall, bytes: number, operations: Operations) =>
    timeBatches(pe, [[call, operations]], volume, 2, probe).map((samples) => ({ ...samples, call, bytes }));
  const longest = pe.alloc(Float64Array, Math.max(...sizes) / NUMBER);
  const barriers: Operations = (count) => {
    for (let i = 0; i < count; i++) pe.barrier();
  };
  const timed = [
    ...time("barrier", 0, barriers),
    ...sizes.flatMap((bytes) => {
      const x = longest.subarray(0, bytes / NUMBER);
      const sized = CALLS.flatMap((call) =>
        time(call, bytes, bytes === NUMBER ? numbers(pe, call) : operationsOf(pe, call, x)),
      );
      if (bytes * pe.size > MOST_PARTS) return sized;
      return [...sized, ...time("alltoall", bytes, exchanges(pe, bytes)), ...time("gather", bytes, gathers(pe, bytes))];
    }),
  ];
  return { bound: pe.cpu !== null, timed };
});

/** An alltoall with `bytes` for each PE. */
function exchanges(pe: PE, bytes: number): Operations {
  const x = new Float64Array((pe.size * bytes) / NUMBER);
  return (count) => {
    for (let i = 0; i < count; i++) pe.alltoall(x);
  };
}

/** A gather of a number or an array; roots alternate. */
function gathers(pe: PE, bytes: number): Operations {
  const x = bytes === NUMBER ? pe.rank : new Float64Array(bytes / NUMBER);
  return (count) => {
    for (let i = 0; i < count; i++) pe.gather<number | Float64Array>(x, i & 1 ? pe.size - 1 : 0);
  };
}

/** As {@link operationsOf}, of a number; each result is checked. */
function numbers(pe: PE, call: Choosable): Operations {
  const last = pe.size - 1;
  const sum = (pe.size * (pe.size - 1)) / 2;
  const check = (got: number, expected: number): void => {
    if (got !== expected) throw new Error(`${call}: expected ${expected}, got ${got}`);
  };
  switch (call) {
    case "broadcast":
      return (count) => {
        for (let i = 0; i < count; i++) {
          const root = i & 1 ? last : 0;
          check(pe.broadcast(i + pe.rank, root), i + root);
        }
      };
    case "reduce":
      return (count) => {
        for (let i = 0; i < count; i++) {
          const root = i & 1 ? last : 0;
          const got = pe.reduce(i + pe.rank, "sum", root);
          if (pe.rank === root) check(got as number, i * pe.size + sum);
        }
      };
    case "allreduce":
      return (count) => {
        for (let i = 0; i < count; i++) check(pe.allreduce(i + pe.rank, "sum"), i * pe.size + sum);
      };
  }
}

export default program;

/** The program of the PEs in the comparison: batches of each collective, timed at rank 0. */

import { type PE, type Spmd, spmd } from "../../src/index.ts";
import { type BatchVolume, type Operations, type Samples, timeBatches } from "../../src/running/contest/batches.ts";

/** The measurements to make. */
export interface CompareJob extends BatchVolume {
  /** The root and the last leaf of the broadcast tree: they broadcast in turn. */
  readonly roots: readonly [number, number];
}

const LONG = 8192;

const program: Spmd = spmd((pe: PE, args: unknown): Samples[] => {
  const { roots, ...volume } = args as CompareJob;
  const long = pe.alloc(Float64Array, LONG);
  const [first, last] = roots;
  const operations: Record<string, Operations> = {
    barrier: (count) => {
      for (let i = 0; i < count; i++) pe.barrier();
    },
    "broadcast f64": (count) => {
      for (let i = 0; i < count; i++) pe.broadcast(i, i & 1 ? last : first);
    },
    "reduce f64": (count) => {
      for (let i = 0; i < count; i++) pe.reduce(i, "sum", i & 1 ? last : first);
    },
    "allreduce f64": (count) => {
      for (let i = 0; i < count; i++) pe.allreduce(i, "sum");
    },
    [`allreduce f64[${LONG}]`]: (count) => {
      for (let i = 0; i < count; i++) pe.allreduce(long, "max");
    },
  };
  return Object.entries(operations).flatMap((operation) => timeBatches(pe, [operation], volume));
});

export default program;

/** The program of the PEs in `bench crossovers`: one call with each of its algorithms, size by size. */

import { operationsOf } from "../../../../microbench/collectives/operations.ts";
import { CHOICES, type Choosable } from "../../../../src/collectives/calls/decide.ts";
import type { CollectiveAlgorithm } from "../../../../src/collectives/team/call-words.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import {
  type BatchVolume,
  type Operations,
  type Samples,
  timeBatches,
} from "../../../../src/running/contest/batches.ts";

/** The memory of the arrays: from `pe.alloc`, or each PE's own. */
export type Memory = "alloc" | "private";

/** The measurements to make. */
export interface CrossoversJob {
  readonly call: Choosable;
  readonly memory: Memory;
  /** Sizes in bytes, multiples of 8. */
  readonly sizes: readonly number[];
  readonly volume: BatchVolume;
}

/** The name of one measurement. */
export const whatOf = (call: Choosable, algorithm: CollectiveAlgorithm, memory: Memory, bytes: number): string =>
  `${call} ${algorithm}, ${memory}, ${bytes} bytes`;

const program: Spmd = spmd((pe: PE, args: unknown): Samples[] => {
  const { call, memory, sizes, volume } = args as CrossoversJob;
  const longest = Math.max(...sizes) / 8;
  const all = memory === "alloc" ? pe.alloc(Float64Array, longest) : new Float64Array(longest);
  return sizes.flatMap((bytes) => {
    const x = all.subarray(0, bytes / 8);
    const timed = CHOICES[call].map((algorithm): [string, Operations] => [
      whatOf(call, algorithm, memory, bytes),
      operationsOf(pe, call, x, algorithm),
    ]);
    return timeBatches(pe, timed, volume);
  });
});

export default program;

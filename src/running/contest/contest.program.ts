/** The program of the PEs in a contest: batches of each operation on one group for each set of candidates. */

import type { Operation, Trees } from "../../../trees/model/tree.ts";
import type { Group } from "../../pe/group.ts";
import type { PE } from "../../pe/pe.ts";
import { type Spmd, spmd } from "../../pe/spmd.ts";
import { type BatchVolume, type Operations, type Samples, timeBatches } from "./batches.ts";

/** An operation for which candidates compete. */
export type Contested = Operation | "barrier";

/** The measurements to make. */
export interface ContestJob extends BatchVolume {
  /** Trees, one group for each. */
  readonly plans: readonly Trees[];
  /** By operation: how many of the plans have a candidate of their own. */
  readonly counts: Readonly<Record<Contested, number>>;
  /** By operation: two PEs that are the root in turn. */
  readonly roots: Readonly<Record<Operation, readonly [number, number]>>;
}

const program: Spmd = spmd((pe: PE, args: unknown): Samples[] => {
  const { plans, counts, roots, ...volume } = args as ContestJob;
  const ranks = Array.from({ length: pe.size }, (_, rank) => rank);
  const operations = plans.flatMap((plan, i): [string, Operations][] => {
    const group = pe.group(ranks, { trees: plan });
    return (["broadcast", "reduce", "barrier"] as const)
      .filter((what) => i < counts[what])
      .map((what) => [`${what} ${i}`, loops[what](group, what === "barrier" ? [0, 0] : roots[what])]);
  });
  return timeBatches(pe, operations, volume);
});

const loops: Readonly<Record<Contested, (group: Group, roots: readonly [number, number]) => Operations>> = {
  broadcast:
    (group, [first, last]) =>
    (count) => {
      for (let i = 0; i < count; i++) group.broadcast(i, i & 1 ? last : first);
    },
  reduce:
    (group, [first, last]) =>
    (count) => {
      for (let i = 0; i < count; i++) group.reduce(i, "sum", i & 1 ? last : first);
    },
  barrier: (group) => (count) => {
    for (let i = 0; i < count; i++) group.barrier();
  },
};

export default program;

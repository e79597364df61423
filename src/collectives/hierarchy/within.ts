/** Steps within a subgroup: a collective of its team, in the middle of one of the whole group. */
import type { Task } from "../../ground/wait/task.ts";
import type { CheckedCall } from "../calls/call.ts";
import type { CollectiveAlgorithm } from "../team/call-words.ts";

/** The algorithm that is wished within a subgroup: `mpi` is one between them. */
export const withinOf = (wish: CollectiveAlgorithm | undefined): CollectiveAlgorithm | undefined =>
  wish === "mpi" ? undefined : wish;

/** Runs a call of a team under the tag of the group's; it is part of that, and not noted. */
export function* runWithin<T>(call: CheckedCall<T>, tag: number): Task<T> {
  return call.finish(yield* call.begin(tag));
}

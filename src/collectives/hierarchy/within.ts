/** Steps within a subgroup: a collective of its team, in the middle of one of the whole group. */
import type { Call } from "../calls/call.ts";
import type { Algorithm } from "../team/call-words.ts";
import type { Operation, Routine } from "../team/operation.ts";

/** The algorithm that is wished within a subgroup: `mpi` is one between them. */
export const withinOf = (wish: Algorithm | undefined): Algorithm | undefined =>
  wish === "mpi" ? undefined : wish;

/** Runs a call of a team under the tag of the group's; it is part of that, and not noted. */
export function* runWithin<T>(call: Call<T>, tag: number): Routine<T> {
  return call.finish(yield* toItsEnd(call.begin(tag)));
}

/** An operation to its end. */
export function* toItsEnd<T>(operation: Operation<T>): Routine<T> {
  for (let wait = operation.advance(); wait !== null; wait = operation.advance()) yield wait;
  return operation.result;
}

/**
 * Allgather: every PE's x at every PE, in order of rank.
 *
 * All PEs show their data, and each copies from all others; those with long data go on when all have read it. Arrays may
 * have different lengths.
 *
 * Limits: a long array outside the heap is copied whole to the staging memory.
 *
 * Source: MPI 4.0, section 6.7 (allgather, allgatherv); direct reads as in single-copy.ts.
 *
 * Example with 3 PEs: arrays [1], [2, 2], [3] become [1, 2, 2, 3] everywhere.
 */
import type { Task } from "../../ground/wait/task.ts";
import { ALL_READ, isRendezvous } from "../team/eager-board.ts";
import type { Team } from "../team/team.ts";
import { allRead, type Packed, type Value, wrap } from "./exposed-values.ts";
import { type Into, type IntoRefusal, joinShown } from "./result-array.ts";

/** The joined parts, at every PE. @param into for arrays; a new one without */
export function* allgatherValues(
  team: Team,
  tag: number,
  x: Packed,
  into: Into | undefined,
): Task<Value | IntoRefusal> {
  const { eager, rank, size } = team;
  for (let wait = eager.unread(); wait !== null; wait = eager.unread()) yield wait;
  const own = wrap(team, x);
  eager.show(tag, own.address, own.bytes, own.extra, ALL_READ);
  let longest = own.bytes;
  for (let step = 1; step < size; step++) {
    const peer = (rank + step) % size;
    const begun = eager.begun(peer);
    if (!begun.ready()) yield begun;
    team.checkHeader(peer, tag);
    longest = Math.max(longest, eager.bytes(peer));
  }
  const result = joinShown(team, x, into);
  yield* allRead(team, tag, isRendezvous(longest));
  return result;
}

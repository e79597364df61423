/**
 * Allgather: every PE's x at every PE, in order of rank.
 *
 * All PEs show their data on the address board, and each copies from all others. Arrays may have different lengths.
 *
 * Limits: an array outside the heap is copied whole to the staging memory; two synchronisations of all PEs.
 *
 * Source: MPI 4.0, section 6.7 (allgather, allgatherv); direct reads as in single-copy.ts.
 *
 * Example with 3 PEs: arrays [1], [2, 2], [3] become [1, 2, 2, 3] everywhere.
 */
import type { Task } from "../../ground/wait/task.ts";
import type { Team } from "../team/team.ts";
import { allRead, type ExposedValue, type Packed, shownBy, type Value, wrap } from "./exposed-values.ts";
import { type Into, type IntoRefusal, joinShown } from "./result-array.ts";

/** The joined parts, at every PE. @param into for arrays; a new one without */
export function* allgatherValues(
  team: Team,
  tag: number,
  x: Packed,
  into: Into | undefined,
): Task<Value | IntoRefusal> {
  const { board, rank, size } = team;
  const own = wrap(team, x);
  board.show(tag, own.address, own.bytes, own.extra);
  const shown = board.phase;
  const parts = new Array<ExposedValue>(size);
  parts[rank] = own;
  for (let step = 1; step < size; step++) {
    const peer = (rank + step) % size;
    const ready = board.reached(peer, shown);
    if (!ready.ready()) yield ready;
    team.check(peer, shown, tag);
    parts[peer] = shownBy(team, peer, shown);
  }
  const result = joinShown(team, parts, into);
  yield* allRead(team, tag);
  return result;
}

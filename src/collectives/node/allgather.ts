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
import type { Routine } from "../team/operation.ts";
import type { Team } from "../team/team.ts";
import { join, type Packed, shownBy, unwrap, type Value, wrap } from "./exposed-values.ts";

/** The joined parts, at every PE. */
export function* allgatherValues(team: Team, tag: number, x: Packed): Routine<Value> {
  const { board, rank, size } = team;
  const own = wrap(team, x);
  board.show(tag, own.address, own.bytes, own.extra);
  const shown = board.phase;
  const parts = new Array<Value>(size);
  // starting with the next PE, so that not all PEs read from the same one
  for (let step = 0; step < size; step++) {
    const peer = (rank + step) % size;
    if (peer === rank) {
      parts[peer] = unwrap(team, own);
      continue;
    }
    const ready = board.reached(peer, shown);
    if (!ready.ready()) yield ready;
    team.check(peer, shown, tag);
    parts[peer] = unwrap(team, shownBy(team, peer, shown));
  }
  board.next(tag);
  for (let peer = 0; peer < size; peer++) {
    if (peer === rank) continue;
    const read = board.reached(peer, board.phase);
    if (!read.ready()) yield read;
  }
  return join(team, parts);
}

/**
 * Gather: every PE's x at the root, in order of rank.
 *
 * All PEs show their data; the root copies it, PE by PE, and then lets them continue. Arrays may have different
 * lengths.
 *
 * Limits: the root does all the copying; an array outside the heap is copied whole to the staging memory.
 *
 * Source: MPI 4.0, section 6.5 (gather, gatherv).
 *
 * Example with 3 PEs: arrays [1], [2, 2], [3] become [1, 2, 2, 3] at the root; values a, b, c a list.
 */
import type { Routine } from "../team/operation.ts";
import type { Team } from "../team/team.ts";
import { join, type Packed, shownBy, unwrap, type Value, wrap } from "./exposed-values.ts";

/** The joined parts at the root, undefined elsewhere. */
export function* gatherValues(team: Team, tag: number, x: Packed, root: number): Routine<Value> {
  const { board, rank, size } = team;
  const { address, bytes, extra } = wrap(team, x);
  board.show(tag, address, bytes, extra);
  const shown = board.phase;
  if (rank !== root) {
    board.skip();
    const taken = board.reached(root, board.phase);
    if (!taken.ready()) yield taken;
    return undefined;
  }
  const parts: Value[] = [];
  for (let peer = 0; peer < size; peer++) {
    if (peer === rank) {
      parts.push(unwrap(team, { address, bytes, extra }));
      continue;
    }
    const ready = board.reached(peer, shown);
    if (!ready.ready()) yield ready;
    team.check(peer, shown, tag);
    parts.push(unwrap(team, shownBy(team, peer, shown)));
  }
  board.next(tag);
  return join(team, parts);
}

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
import type { Task } from "../../ground/wait/task.ts";
import type { Team } from "../team/team.ts";
import { type ExposedValue, type Packed, shownBy, type Value, wrap } from "./exposed-values.ts";
import { type Into, type IntoRefusal, joinShown } from "./result-array.ts";

/** The joined parts at the root, undefined elsewhere. @param into for arrays; a new one without */
export function* gatherValues(
  team: Team,
  tag: number,
  x: Packed,
  root: number,
  into: Into | undefined,
): Task<Value | IntoRefusal> {
  const { board, rank, size } = team;
  const own = wrap(team, x);
  board.show(tag, own.address, own.bytes, own.extra);
  const shown = board.phase;
  if (rank !== root) {
    board.skip();
    const taken = board.reached(root, board.phase);
    if (!taken.ready()) yield taken;
    return undefined;
  }
  const parts: ExposedValue[] = [];
  for (let peer = 0; peer < size; peer++) {
    if (peer === rank) {
      parts.push(own);
      continue;
    }
    const ready = board.reached(peer, shown);
    if (!ready.ready()) yield ready;
    team.check(peer, shown, tag);
    parts.push(shownBy(team, peer, shown));
  }
  const result = joinShown(team, parts, into);
  board.next(tag);
  return result;
}

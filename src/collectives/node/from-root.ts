/**
 * One PE shows a value and all others read it: the common part of scatter and of the broadcast of values.
 *
 * The root shows the value; each PE reads what it needs; the root continues when all have read it.
 *
 * Limits: data outside the heap is copied whole to the staging memory.
 */
import type { Task } from "../../ground/wait/task.ts";
import type { Team } from "../team/team.ts";
import { type ExposedValue, shownBy, type Value } from "./exposed-values.ts";

/** The value that `read` returns for the root's. Undefined at the root, which passes `own`; the others pass null. */
export function* fromRoot(
  team: Team,
  tag: number,
  own: ExposedValue | null,
  root: number,
  read: (value: ExposedValue) => Value,
): Task<Value> {
  const { board, rank, size } = team;
  if (own === null) {
    const phase = board.phase + 1;
    const shown = board.reached(root, phase);
    if (!shown.ready()) yield shown;
    team.check(root, phase, tag);
    const value = read(shownBy(team, root, phase));
    board.next(tag, root);
    return value;
  }
  board.show(tag, own.address, own.bytes, own.extra);
  for (let peer = 0; peer < size; peer++) {
    if (peer === rank) continue;
    const taken = board.reached(peer, board.phase);
    if (!taken.ready()) yield taken;
    team.check(peer, board.phase, tag);
  }
  return undefined;
}

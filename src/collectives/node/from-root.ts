/**
 * One PE shows a value and all others read it: the common part of scatter and of the broadcast of values.
 *
 * The root shows the value, and each PE reads what it needs. After a long one the root continues when all have read it.
 *
 * Limits: long data outside the heap is copied whole to the staging memory.
 */
import type { Task } from "../../ground/wait/task.ts";
import { ALL, isRendezvous } from "../team/eager-board.ts";
import type { Team } from "../team/team.ts";
import { type ExposedValue, haveRead, shownBy, type Value } from "./exposed-values.ts";

/**
 * The value that `read` returns for the root's. Undefined at the root, where `expose` is not null.
 */
export function* fromRoot(
  team: Team,
  tag: number,
  expose: (() => ExposedValue) | null,
  root: number,
  read: (value: ExposedValue) => Value,
): Task<Value> {
  const { board, eager, rank, size } = team;
  for (let wait = eager.unread(); wait !== null; wait = eager.unread()) yield wait;
  if (expose === null) {
    eager.show(tag, 0, 0, 0, rank);
    const begun = eager.begun(root);
    if (!begun.ready()) yield begun;
    team.checkHeader(root, tag);
    const value = read(shownBy(team, root));
    haveRead(team, tag, eager.bytes(root), root);
    return value;
  }
  const { address, bytes, extra } = expose();
  eager.show(tag, address, bytes, extra, ALL);
  board.skip();
  if (!isRendezvous(bytes)) return undefined;
  for (let peer = 0; peer < size; peer++) {
    if (peer === rank) continue;
    const taken = board.reached(peer, board.phase);
    if (!taken.ready()) yield taken;
    team.check(peer, board.phase, tag);
  }
  return undefined;
}

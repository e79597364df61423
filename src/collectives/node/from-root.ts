/**
 * One PE shows a value and all others read it: the common part of scatter and of the broadcast of values.
 *
 * The root shows the value, and each PE reads what it needs. After a long one the root continues when all have read it.
 *
 * Limits: long data outside the heap is copied whole to the staging memory.
 */
import type { Task } from "../../ground/wait/task.ts";
import { ALL_READ, isRendezvous } from "../team/eager-board.ts";
import type { Team } from "../team/team.ts";
import { type ExposedValue, shownBy, type Value } from "./exposed-values.ts";

/**
 * The value that `read` returns for the root's. Undefined at the root, where `own` exposes it; at the others it is null.
 */
export function* fromRoot(
  team: Team,
  tag: number,
  own: (() => ExposedValue) | null,
  root: number,
  read: (value: ExposedValue) => Value,
): Task<Value> {
  const { board, eager, rank, size } = team;
  for (let wait = eager.unread(); wait !== null; wait = eager.unread()) yield wait;
  if (own === null) {
    eager.join(tag);
    const begun = eager.begun(root);
    if (!begun.ready()) yield begun;
    team.checkHeader(root, tag);
    const value = read(shownBy(team, root));
    if (isRendezvous(eager.bytes(root))) board.next(tag, root);
    else board.skip();
    return value;
  }
  const { address, bytes, extra } = own();
  eager.show(tag, address, bytes, extra, ALL_READ);
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

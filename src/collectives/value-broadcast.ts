/**
 * Broadcast of a structured-cloneable value: the root shows it serialised, everybody reads a copy.
 *
 * Limits: serialised as for postMessage (v8.serialize), so functions cannot go, and it costs what
 * serialising costs.
 *
 * Source: single-copy.ts, with a parcel in place of an array.
 *
 * Example: `{ rows: 3 }` at the root gives every other PE a copy of its own; the root keeps its object.
 */
import type { Routine } from "./operation.ts";
import { type Packed, unwrap, type Value, wrap } from "./parcels.ts";
import type { Team } from "./team.ts";

/** The root's value, at every other PE; undefined at the root, which has it. `x` counts at the root only. */
export function* broadcastValue(team: Team, tag: number, x: Packed | null, root: number): Routine<Value> {
  const { board, rank, size } = team;
  if (rank !== root || x === null) {
    const phase = board.phase + 1;
    const shown = board.reached(root, phase);
    if (!shown.ready()) yield shown;
    team.check(root, phase, tag);
    const value = unwrap(team, {
      address: board.address(root, phase),
      bytes: board.bytes(root, phase),
      extra: board.extra(root, phase),
    });
    board.next(tag, root);
    return value;
  }
  const { address, bytes, extra } = wrap(team, x);
  board.show(tag, address, bytes, extra);
  for (let peer = 0; peer < size; peer++) {
    if (peer === rank) continue;
    const taken = board.reached(peer, board.phase);
    if (!taken.ready()) yield taken;
    team.check(peer, board.phase, tag);
  }
  return undefined;
}

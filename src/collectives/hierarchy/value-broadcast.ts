/** Broadcast of what can be cloned: runs the schedule of a broadcast on packed bytes, whose length only the root knows. */
import { broadcastCall } from "../calls/moving.ts";
import type { Routine } from "../team/operation.ts";
import type { HierarchyEngine } from "./engine.ts";
import { flush, receiveCopy, sendCopy } from "./message-routines.ts";
import { unpack } from "./packing.ts";
import { BROADCAST_WITHIN, RECEIVE, SEND } from "./schedule.ts";
import { runWithin } from "./within.ts";

/** The root's value, at each: a copy of its own at all but the root. */
export function* broadcastValue<T>(
  { hierarchy, within }: HierarchyEngine,
  tag: number,
  x: T,
  packed: Uint8Array | null,
  root: number,
): Routine<T> {
  let bytes = packed;
  for (const { kind, peer } of hierarchy.schedules.broadcast(root)) {
    if (kind === RECEIVE) bytes = yield* receiveCopy(hierarchy, peer);
    else if (kind === SEND) yield* sendCopy(hierarchy, peer, bytes as Uint8Array);
    else if (kind === BROADCAST_WITHIN) {
      // the argument of all but the leader is ignored
      [bytes] = yield* runWithin(broadcastCall(within, [bytes], peer, undefined), tag);
    }
  }
  yield* flush(hierarchy);
  return packed === null ? (unpack(["value", false, bytes as Uint8Array]) as T) : x;
}

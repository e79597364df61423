/** Memory of a group over nodes: each node gets a block of its own heap, or none does; and gives it back. */
import type { CheckedCall } from "../calls/call.ts";
import { broadcastCall } from "../calls/moving.ts";
import { callWord } from "../team/call-words.ts";
import { type AllocName, type AllocUse, HeapRefusal } from "../team/refusals.ts";
import { taskCall } from "./call.ts";
import type { HierarchyEngine } from "./engine.ts";
import { runWithin } from "./within.ts";

/** The byte offset of a block of `bytes` bytes for each PE of this node, or for all of them together. */
export function allocOnNodes(
  engine: HierarchyEngine,
  bytes: number,
  name: AllocName,
  use: AllocUse,
): CheckedCall<number> {
  const { hierarchy, within, scalars } = engine;
  const { schedules, subgroups, team } = hierarchy;
  const whole = name === "alloc" ? bytes * team.size : bytes;
  return taskCall(engine, callWord(name, "", ""), use.asked, -1, function* (tag) {
    let offset = -1;
    let hasRoom = 1;
    if (subgroups.leads()) {
      try {
        offset = team.heap.allocate(whole);
      } catch {
        // told to all below, so that nobody waits for a block that does not come
        hasRoom = 0;
      }
    }
    const haveRoom = yield* scalars.begin(schedules.allreduce, hasRoom, Math.min);
    if (haveRoom === 0) {
      if (offset >= 0) team.heap.free(offset);
      throw new HeapRefusal(use, whole, team.heap);
    }
    return yield* runWithin(broadcastCall(within, offset, subgroups.teamLeader(), undefined), tag);
  });
}

/** Gives a block back when all have come. */
export function freeOnNodes(engine: HierarchyEngine, offset: number): CheckedCall<void> {
  const { hierarchy, scalars } = engine;
  const { schedules, team } = hierarchy;
  // the heaps of two nodes need not look alike
  return taskCall(engine, callWord("free", "", ""), 0, -1, function* () {
    yield* scalars.begin(schedules.barrier, 0, Math.max);
    if (team.rank === 0) team.heap.free(offset);
  });
}

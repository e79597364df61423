/** Resilient groups: collectives that go on when PEs are lost. */
import { UsageError } from "../../ground/base/errors.ts";
import type { Group } from "../../pe/group.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { newResilientGroup, type ResilientGroup } from "./resilient-group.ts";

/**
 * Makes a resilient group of the PEs of a group, all of one node. Collective: all its PEs call it. It waits for nobody
 * if the heap has room.
 *
 *     const all = resilient(pe);
 *     for (;;) loss = all.allreduce(step(), "sum");
 *
 * Its calls and those of the group itself are made in the same order at all PEs.
 * @throws UsageError for a group over several nodes; HeapError; MismatchError, which ends the world
 */
export function resilient(pe: Group): ResilientGroup {
  const seat = seatOf(pe, "resilient");
  if (seat.here.length === seat.size) return newResilientGroup(seat);
  throw new UsageError(
    `resilient: expected a group of one node, got one with ${seat.size - seat.here.length} of ${seat.size} PEs on others. ` +
      "Make one of the PEs of each node: pe.split(pe.node).",
  );
}

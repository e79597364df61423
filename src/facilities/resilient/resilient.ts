/** Resilient groups: collectives that go on when PEs are lost. */
import type { Group } from "../../pe/group.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { newResilientGroup, type ResilientGroup } from "./resilient-group.ts";

/**
 * Makes a resilient group of the PEs of a group, on one node or several. Collective: all its PEs call it. It waits for
 * nobody if the heap has room.
 *
 *     const all = resilient(pe);
 *     for (;;) loss = all.allreduce(step(), "sum");
 *
 * Its calls and those of the group itself are made in the same order at all PEs.
 * @throws HeapError; MismatchError, which ends the world
 */
export function resilient(pe: Group): ResilientGroup {
  return newResilientGroup(seatOf(pe, "resilient"));
}

/** Replicas among the PEs of a group. */
import type { Group } from "../../pe/group.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { among, withTrees } from "../messages/among.ts";
import type { ReplicaOptions } from "./options.ts";
import { Replica } from "./replica.ts";
import type { StateMachine } from "./state-machine.ts";

/**
 * Makes a replica of a state machine that the PEs of a group agree on by 1Paxos. Collective: all PEs of the group make
 * one, with the same options but `log`. `treeFor` is from the group's trees unless it is given.
 *
 *     const replica = openReplica(pe, machine);
 *     const reply = replica.proposeAndWait(command);
 *
 * In a world with `onLoss: "continue"` the others go on when a PE is lost (docs/agreement.md says when).
 * @throws UsageError; HeapError; MismatchError, which ends the world
 */
export function openReplica(pe: Group, machine: StateMachine, options: ReplicaOptions = {}): Replica {
  const seat = seatOf(pe, "openReplica");
  const terms = "members of a replica";
  return among(seat, terms, (members) => new Replica(members, machine, withTrees(seat, options)));
}

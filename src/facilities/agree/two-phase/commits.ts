/** Two-phase commits among the PEs of a group. */
import type { Group } from "../../../pe/group.ts";
import { seatOf } from "../../../pe/seat-of.ts";
import { among, withTrees } from "../../messages/among.ts";
import type { Participant, TwoPhaseOptions } from "./participant.ts";
import { TwoPhaseCommit } from "./two-phase-commit.ts";

/** Makes this PE a member of two-phase commits. Collective, as {@link openReplica}. @throws as there */
export function openTwoPhaseCommit(pe: Group, participant: Participant, options: TwoPhaseOptions = {}): TwoPhaseCommit {
  const seat = seatOf(pe, "openTwoPhaseCommit");
  const terms = "members of a two-phase commit";
  return among(seat, terms, (members) => new TwoPhaseCommit(members, participant, withTrees(seat, options)));
}

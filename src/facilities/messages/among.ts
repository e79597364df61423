/** Messengers and broadcasts among the members of a group, over pairs of queues between all of them. */
import { treeFrom } from "../../pe/member-trees.ts";
import type { Seat } from "../../pe/seat.ts";
import { PairMembers } from "./pair-members.ts";

/** Small messages most of the time, and batches of up to 64 KiB. */
const PAIRS = { slots: 64, partBytes: 8192 };

/** Makes something among the members. What fails gives them up. @param terms what all must agree about, as text */
export function among<T>(seat: Seat, terms: string, make: (members: PairMembers) => T): T {
  const members = new PairMembers(seat, { ...PAIRS, terms });
  try {
    return make(members);
  } catch (error) {
    members.free();
    throw error;
  }
}

/** The group's trees for who has given none. What are no options stays so, and is refused. */
export const withTrees = <T extends object>(seat: Seat, options: T): T =>
  typeof options === "object" && options !== null
    ? { treeFor: (root: number) => treeFrom(seat, root), ...options }
    : options;

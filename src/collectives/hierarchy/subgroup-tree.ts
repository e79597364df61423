/**
 * The tree over the subgroups of a group: to whom each PE sends, and from whom it receives.
 *
 * What: trees/nodes/greedy.ts with the costs that were measured. In a subgroup that has been reached, the leader sends
 * to other subgroups first, and then spreads what it has within its own; the others get it some steps of `near` later,
 * and send as well.
 */
import { greedySends, type Send } from "../../../trees/nodes/greedy.ts";
import type { RemoteCosts } from "../../machine/model/remote-costs.ts";
import type { Subgroups } from "./subgroups.ts";

/** This PE's place in a tree over the subgroups: ranks in the group. */
export interface TreePlace {
  /** Who sends to it; -1 where nobody of another subgroup does. */
  readonly parent: number;
  /** The leaders that it sends to, in order. */
  readonly children: readonly number[];
}

/** Helpers of a subgroup that are looked at: more are not free any sooner than their network is. */
const MOST_HELPERS = 16;

/** This PE's place in the tree from a root. @param helpers whether all PEs of a subgroup send, or the leaders alone */
export function treePlace(subgroups: Subgroups, costs: RemoteCosts, root: number, helpers: boolean): TreePlace {
  const { own, rank } = subgroups;
  const place: { parent: number; children: number[] } = { parent: -1, children: [] };
  for (const send of sendsFrom(subgroups, costs, subgroups.of(root), helpers)) {
    if (send.from !== own && send.to !== own) continue;
    const sender = senderAt(subgroups, send.from, send.place, root);
    const receiver = subgroups.leader(send.to, root);
    if (sender === rank) place.children.push(receiver);
    if (receiver === rank) place.parent = sender;
  }
  return place;
}

/** The last sends: virtual PEs, which share a thread, ask for the same again and again. */
let last: { key: readonly unknown[]; sends: readonly Send[] } | null = null;

/** The sends between subgroups, from that of the root on. */
function sendsFrom({ all }: Subgroups, costs: RemoteCosts, root: number, helpers: boolean): readonly Send[] {
  const key = [all, costs, root, helpers];
  if (last?.key.every((part, i) => part === key[i])) return last.sends;
  const idle = all.map(({ ranks }) => idleTimes(helpers ? ranks.length : 1, costs.near));
  const sends = greedySends(idle, root, { send: costs.overhead, edge: costs.alpha });
  last = { key, sends };
  return sends;
}

/** When each of `size` PEs has what their leader got, down a binomial tree. */
function idleTimes(size: number, near: number): number[] {
  return Array.from({ length: Math.min(size, MOST_HELPERS) }, (_, place) => near * Math.ceil(Math.log2(place + 1)));
}

/** The PE at a place of a subgroup: its leader, then the others by rank. */
function senderAt(subgroups: Subgroups, subgroup: number, place: number, root: number): number {
  const leader = subgroups.leader(subgroup, root);
  if (place === 0) return leader;
  const { ranks } = subgroups.all[subgroup];
  return ranks[place <= ranks.indexOf(leader) ? place - 1 : place];
}

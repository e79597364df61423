/**
 * The lanes of the hop that sends under a discipline: that between groups, which leaves the node where groups are
 * nodes; of a mesh the first one, along the greatest dimension; with one hop that one.
 *
 * The PEs that have senders or receivers in common have lanes to each other. With one hop these are all PEs, with two
 * those of a column, in a mesh those that differ in the greatest coordinate alone. With three hops in groups a PE (x,
 * y, z) sends to all (x', z, y), and these to all (x'', y, z): so both have lanes to both, but links from one kind to
 * the other only. They are numbered in the order of the grid.
 *
 * Example: 6 PEs in rows of 3, two hops: PE 1 shares lanes with PE 4; it is number 0, and its lane 1 leads to PE 4.
 */

import type { Hop } from "../../links/transport/contract.ts";
import type { LaneMap } from "../disciplines/hop-lanes.ts";
import { lanesOfLink } from "./conveyor-choice.ts";
import { type ConveyorRoute, friendsOf } from "./route.ts";

/** The index of the hop. */
export const disciplinedHop = (route: Pick<ConveyorRoute, "each">): number =>
  Math.max(
    0,
    route.each.findIndex(({ remote }) => remote),
  );

/** The PEs on the lanes of one, itself included, in order. */
function membersOf(route: ConveyorRoute, rank: number): readonly number[] {
  const friends = (of: number) => friendsOf(route, of)[disciplinedHop(route)].friends.filter((pe) => pe >= 0);
  const near = friends(rank);
  // all friends of a PE have the same friends
  const all = new Set([...near, ...friends(near[0])]);
  return [...all].sort((a, b) => route.places[a] - route.places[b]);
}

/** The links of control messages, between PEs with lanes to each other. As many at each PE, some to nobody. */
export function laneHop(route: ConveyorRoute, rank: number): Hop {
  const members = membersOf(route, rank);
  const { length } = friendsOf(route, rank)[disciplinedHop(route)].friends;
  const friends = new Int32Array(lanesOfLink(route) * length).fill(-1);
  for (const [lane, pe] of members.entries()) if (pe !== rank) friends[lane] = pe;
  return { friends, self: members.indexOf(rank) };
}

/** The lanes of a PE, by the links of the hop. */
export function laneMap(route: ConveyorRoute, rank: number): LaneMap {
  const members = membersOf(route, rank);
  const { friends } = friendsOf(route, rank)[disciplinedHop(route)];
  return {
    size: members.length,
    self: members.indexOf(rank),
    linkOf: Int32Array.from(members, (pe) => (pe === rank ? -1 : friends.indexOf(pe))),
    laneOf: friends.map((pe) => (pe === rank ? -1 : members.indexOf(pe))),
  };
}

/** The link of the hop from a PE to itself; -1 if there is none. */
export const ownLink = (route: ConveyorRoute, rank: number): number =>
  friendsOf(route, rank)[disciplinedHop(route)].friends.indexOf(rank);

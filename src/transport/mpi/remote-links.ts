/** Who is at the other end of a hop's links to other nodes, and where the links lie. */

import type { Hop, SitePlan } from "../contract.ts";
import { nearBytes } from "../heap/link-offsets.ts";
import { type Nodes, nodeOf } from "../messages/layout.ts";
import { remoteLinkBytes } from "./layout.ts";

/** A link to a PE on another node. */
export interface RemoteLink {
  /** Its number in the hop. */
  readonly link: number;
  /** The number of the same link at the other end. */
  readonly theirs: number;
  /** The PE at the other end, as the world numbers it, and its node. */
  readonly peer: number;
  readonly node: number;
}

/**
 * The links of a hop that lead to other nodes; those that come after this PE's own number first, so that not all begin
 * with the same.
 * @param members of the conveyor, as the world numbers them
 */
export function remoteLinks({ friends, self }: Hop, members: readonly number[], nodes: Nodes): RemoteLink[] {
  const all = Array.from(friends, (friend, link): RemoteLink => {
    const peer = friend < 0 ? -1 : members[friend];
    return { link, theirs: self, peer, node: friend < 0 ? nodes.node : nodeOf(nodes, peer) };
  });
  const remote = all.filter(({ node }) => node !== nodes.node);
  return [...remote.filter(({ link }) => link > self), ...remote.filter(({ link }) => link <= self)];
}

/**
 * Where the links of a node's PEs to other nodes begin, by the PEs' numbers here: bytes from the start of the conveyor's block, behind what
 * they have for each other. The last one is the block's length.
 * @param here ranks in the conveyor
 * @param members of the conveyor, as the world numbers them
 */
export function remotePlaces(
  plan: SitePlan,
  here: readonly number[],
  members: readonly number[],
  nodes: Nodes,
): number[] {
  const perLink = remoteLinkBytes(plan.buffers);
  const places = [nearBytes(plan, here.length)];
  for (const rank of here) {
    const links = plan.hopsOf(rank).reduce((sum, hop) => sum + remoteLinks(hop, members, nodes).length, 0);
    places.push((places.at(-1) as number) + links * perLink);
  }
  return places;
}

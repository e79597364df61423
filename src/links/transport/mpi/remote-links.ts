/** The PEs at the other ends of a hop's links to other nodes, and the offsets of these links. */

import type { Hop, SitePlan } from "../contract.ts";
import { nearBytes } from "../heap/link-offsets.ts";
import { type Nodes, nodeOf } from "../nodes.ts";
import { remoteLinkBytes } from "./layout.ts";

/** A link to a PE on another node, by MPI or mapped. */
export interface RemoteLink {
  /** Its number in the hop. */
  readonly link: number;
  /** The number of the same link at the other end. */
  readonly theirs: number;
  /** The rank in the world of the PE at the other end, and its node. */
  readonly peer: number;
  readonly node: number;
}

/**
 * The links of a hop to other nodes. Those after this PE's own number come first, so that not all PEs begin with the
 * same one.
 * @param members of the conveyor, by rank in the world
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
 * Offsets of the links of a node's PEs to other nodes, by the PEs' numbers here: bytes from the start of the conveyor's
 * block, after the links within the node. The last entry is the block's length.
 * @param here ranks in the conveyor
 * @param members of the conveyor, by rank in the world
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

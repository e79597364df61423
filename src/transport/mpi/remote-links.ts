/** Who is at the other end of a hop's links to other nodes, and where the links lie. */

import type { Hop } from "../contract.ts";
import { type Nodes, nodeOf } from "../messages/layout.ts";

/** A link to a PE on another node. */
export interface FarLink {
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
export function farLinks({ friends, self }: Hop, members: readonly number[], nodes: Nodes): FarLink[] {
  const all = Array.from(friends, (friend, link): FarLink => {
    const peer = friend < 0 ? -1 : members[friend];
    return { link, theirs: self, peer, node: friend < 0 ? nodes.node : nodeOf(nodes, peer) };
  });
  const far = all.filter(({ node }) => node !== nodes.node);
  return [...far.filter(({ link }) => link > self), ...far.filter(({ link }) => link <= self)];
}

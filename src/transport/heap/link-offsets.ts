/** Where the links among the PEs of a node lie in a conveyor's block of the heap (layout.ts). */
import type { Tree } from "../../../trees/model/types.ts";
import type { Hop, SitePlan } from "../contract.ts";
import { linkBytes, linksAt, partBytes } from "./layout.ts";
import type { LinkPlaces } from "./porter.ts";

/** The PEs of a conveyor that are on one node, seen from one of them. */
export interface Neighbours {
  /** By their number here: their ranks in the world. */
  readonly members: readonly number[];
  /** This PE's number here. */
  readonly rank: number;
  /** Votes run on it, and its order is the one in which a PE serves its friends. */
  readonly tree: Pick<Tree, "root" | "children">;
}

/** Places of links that a PE has for a hop: one for each friend, and no more than there are PEs here. */
const placesOf = ({ friends }: Hop, here: number): number => Math.min(friends.length, here);

/** Bytes from one PE's links to the next one's. */
const strideOf = ({ hops, buffers, scratch }: SitePlan, here: number): number =>
  partBytes(
    hops.reduce((sum, hop) => sum + placesOf(hop, here), 0),
    scratch,
    buffers,
  );

/** Bytes of a conveyor's block in the heap, for so many PEs of the node. */
export const nearBytes = (plan: SitePlan, here: number): number =>
  linksAt(here) + here * strideOf(plan, here);

/** The links of a PE, and its scratch. */
export interface NearLinks {
  /** By hop. */
  readonly hops: readonly LinkPlaces[];
  /** Byte offset of the scratch. */
  readonly scratch: number;
}

/**
 * The links of a PE within its node.
 * @param offset of the block
 * @param seatOf the number here of a friend, by its rank in the conveyor; -1 where it is on another node
 */
export function nearLinks(
  { members, rank, tree }: Neighbours,
  plan: SitePlan,
  offset: number,
  seatOf: (friend: number) => number,
): NearLinks {
  const here = members.length;
  const perLink = linkBytes(plan.buffers);
  const part = (pe: number) => offset + linksAt(here) + pe * strideOf(plan, here);
  const turns = turnsFrom(tree, rank, here);
  let before = 0;
  const hops = plan.hops.map((hop): LinkPlaces => {
    const { friends, self } = hop;
    const start = before * perLink;
    before += placesOf(hop, here);
    // every PE has as many places at each hop, so its friends' lie at the same ones in their parts; where there are
    // more friends than PEs here, the places are numbered by these
    const byLink = friends.length <= here;
    const seats = Int32Array.from(friends, (friend) => (friend < 0 ? -1 : seatOf(friend)));
    const at = (pe: number, place: number) => part(pe) + start + place * perLink;
    return {
      out: Float64Array.from(seats, (seat, link) => (seat < 0 ? 0 : at(rank, byLink ? link : seat))),
      in: Float64Array.from(seats, (seat) => (seat < 0 ? 0 : at(seat, byLink ? self : rank))),
      peers: Int32Array.from(seats, (seat) => (seat < 0 ? -1 : members[seat])),
      order: Int32Array.from(seats.keys())
        .filter((link) => seats[link] >= 0)
        .sort((a, b) => turns[seats[a]] - turns[seats[b]]),
    };
  });
  return { hops, scratch: part(rank) + before * perLink };
}

/**
 * By rank: when PE `self` serves it. In the order of the tree, where neighbours come next to each other, and
 * each begins after himself, so that not all begin with the same.
 */
function turnsFrom({ root, children }: Neighbours["tree"], self: number, size: number): Int32Array {
  const order: number[] = [];
  const walk = [root];
  for (let rank = walk.pop(); rank !== undefined; rank = walk.pop()) {
    order.push(rank);
    walk.push(...(children[rank] ?? []).toReversed());
  }
  const start = order.indexOf(self);
  const turns = new Int32Array(size);
  for (const [place, rank] of order.entries()) turns[rank] = (place - start - 1 + size) % size;
  return turns;
}

/** Offsets of the links among the PEs of a node in a conveyor's block of the heap (layout.ts). */
import type { Tree } from "../../../../trees/model/tree.ts";
import { roundUp } from "../../../ground/item/item-type.ts";
import { LINE } from "../../../ground/memory/heap-layout.ts";
import type { Hop, Places, SitePlan } from "../contract.ts";
import {
  BACK,
  DOWN,
  linkBytes,
  MARK,
  OVERSIZED,
  partBytes,
  routeBytes,
  routesAt,
  SENT,
  tallyAt,
  UP,
} from "./layout.ts";
import type { LinkOffsets } from "./porter.ts";

/** The PEs of a conveyor on one node, as seen by one of them. */
export interface Neighbours {
  /** Their ranks in the world, by their number here. */
  readonly members: readonly number[];
  /** This PE's number here. */
  readonly rank: number;
  /** The tree of votes; its order is the order in which a PE serves its friends. */
  readonly tree: Pick<Tree, "root" | "children">;
}

/** Number of link slots of a PE for a hop: one for each friend, and no more than there are PEs here. */
export const placesOf = ({ friends, skipsSelf = false }: Hop, here: number): number =>
  Math.min(friends.length, here) - (skipsSelf ? 1 : 0);

/** Bytes between the links of consecutive PEs. */
const strideOf = ({ hops, buffers, scratch, stagingBytes, tableBytes }: SitePlan, here: number): number =>
  partBytes(
    hops.reduce((sum, hop) => sum + placesOf(hop, here), 0),
    scratch,
    buffers,
    stagingBytes + tableBytes,
  );

/** Offset of PE 0's links in the block. */
const linksAt = ({ routes }: SitePlan, here: number): number => routesAt(here) + routeBytes(routes);

/** Bytes of a conveyor's block in the heap, for `here` PEs of the node. */
export const nearBytes = (plan: SitePlan, here: number): number => linksAt(plan, here) + here * strideOf(plan, here);

/**
 * Zeroes the counters and the link tables of a block that was in use before; nobody reads the rest of it before it is
 * written. The buffers are most of the block, and their lines are in the caches of the PEs that had it: to zero them as
 * well takes longer than to make the conveyor.
 * @param offset of the block
 */
export function clearNear(i32: Int32Array, plan: SitePlan, here: number, offset: number): void {
  const perLink = linkBytes(plan.buffers) / 4;
  const stride = strideOf(plan, here) / 4;
  const block = offset / 4;
  i32[block] = 0;
  i32[block + OVERSIZED] = 0;
  i32[block + OVERSIZED + 1] = 0;
  let places = 0;
  for (const hop of plan.hops) places += placesOf(hop, here);
  for (let pe = 0; pe < here; pe++) {
    const tally = block + tallyAt(pe) / 4;
    i32[tally + UP] = 0;
    i32[tally + DOWN] = 0;
    i32[tally + MARK] = 0;
    const part = block + linksAt(plan, here) / 4 + pe * stride;
    for (let place = 0; place < places; place++) {
      i32[part + place * perLink + SENT] = 0;
      i32[part + place * perLink + BACK] = 0;
    }
    const table = part + stride - roundUp(plan.tableBytes, LINE) / 4;
    for (let word = 0; word < plan.tableBytes / 4; word++) i32[table + word] = 0;
  }
}

/** The links of a PE and its other memory. */
export interface NearLinks {
  /** By hop. */
  readonly hops: readonly LinkOffsets[];
  readonly places: Places;
}

/**
 * The links of a PE within its node.
 * @param offset of the block
 * @param seatOf the number here of a friend, by its rank in the conveyor; -1 if it is on another node
 */
export function nearLinks(
  { members, rank, tree }: Neighbours,
  plan: SitePlan,
  offset: number,
  seatOf: (friend: number) => number,
): NearLinks {
  const here = members.length;
  const perLink = linkBytes(plan.buffers);
  const part = (pe: number) => offset + linksAt(plan, here) + pe * strideOf(plan, here);
  const turns = turnsFrom(tree, rank, here);
  let before = 0;
  const hops = plan.hops.map((hop): LinkOffsets => {
    const { friends, self, skipsSelf = false } = hop;
    /** The slot of link `link` in the part of a PE whose own one is `own`. */
    const slot = (link: number, own: number) => (skipsSelf && link > own ? link - 1 : link);
    const start = before * perLink;
    before += placesOf(hop, here);
    // every PE has the same number of slots at each hop, so its friends' slots have the same offsets in their parts; if
    // there are more friends than PEs here, slots are numbered by PE
    const byLink = friends.length <= here;
    const seats = Int32Array.from(friends, (friend) => (friend < 0 ? -1 : seatOf(friend)));
    const at = (pe: number, place: number) => part(pe) + start + place * perLink;
    return {
      out: Float64Array.from(seats, (seat, link) =>
        seat < 0 ? 0 : at(rank, byLink ? slot(link, self) : slot(seat, rank)),
      ),
      in: Float64Array.from(seats, (seat, link) =>
        seat < 0 ? 0 : at(seat, byLink ? slot(self, link) : slot(rank, seat)),
      ),
      peers: Int32Array.from(seats, (seat) => (seat < 0 ? -1 : members[seat])),
      order: Int32Array.from(seats.keys())
        .filter((link) => seats[link] >= 0)
        .sort((a, b) => turns[seats[a]] - turns[seats[b]]),
    };
  });
  const scratch = part(rank) + before * perLink;
  const places = {
    scratch,
    staging: scratch + plan.scratch * plan.buffers.bytes,
    stagingBytes: plan.stagingBytes,
    table: part(rank + 1) - roundUp(plan.tableBytes, LINE),
    routes: plan.routes === null ? 0 : offset + routesAt(here),
  };
  return { hops, places };
}

/**
 * By rank: the order in which PE `self` serves it. This is the order of the tree, where neighbours are adjacent; each
 * PE begins after itself, so that not all begin with the same friend.
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

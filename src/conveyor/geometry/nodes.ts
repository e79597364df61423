/** What choices of a conveyor depend on where its PEs are on several nodes: the same at all of them. */

import type { Buffers } from "../../transport/contract.ts";
import { shareBytes } from "../../transport/heap/layout.ts";
import { type Nodes, nodeOf } from "../../transport/messages/layout.ts";
import { remoteLinkBytes } from "../../transport/mpi/layout.ts";
import type { NodeLayout } from "./choice.ts";
import { friendsOf, type Route } from "./route.ts";

/** The nodes of a group. */
export interface GroupNodes {
  /** By rank in the group: its node, numbered from 0 in the order of the nodes. */
  readonly nodeOf: Int32Array;
  /** By node of the group: its PEs. */
  readonly sizes: readonly number[];
  /** Whether all have as many. */
  readonly isEven: boolean;
}

export function groupNodes(nodes: Nodes, members: readonly number[]): GroupNodes {
  const places = Int32Array.from(members, (member) => nodeOf(nodes, member));
  const sizes = nodes.starts.slice(1).map((_, node) => places.filter((place) => place === node).length);
  const some = sizes.filter((size) => size > 0);
  return { nodeOf: places, sizes: some, isEven: new Set(some).size === 1 };
}

/** Links of one PE at a hop, at most: all, those to PEs of its node, and those to others. */
interface Spread {
  readonly near: number;
  readonly remote: number;
}

function spreadOf({ nodeOf, sizes }: GroupNodes, route: Route): Spread {
  const most = Math.max(...sizes);
  if (route.hops === 1) return { near: most, remote: route.size - Math.min(...sizes) };
  const hops = friendsOf(route, 0).map(({ friends }) => Math.min(friends.length, most));
  let remote = 0;
  for (let rank = 0; rank < route.size; rank++) {
    const own = friendsOf(route, rank).flatMap(({ friends }) => Array.from(friends));
    remote = Math.max(remote, own.filter((friend) => friend >= 0 && nodeOf[friend] !== nodeOf[rank]).length);
  }
  return { near: hops.reduce((sum, places) => sum + places, 0), remote };
}

/**
 * Links between nodes have buffers at both ends. When nobody says how many hops there are to be, there are as few as let
 * the buffers have their full size: an item that takes one hop is handled once, and a PE that has many links to other
 * nodes has small buffers for each, so that it sends more messages, which is what costs between nodes. Where nodes have
 * different numbers of PEs no row of a grid is a node, and more hops gain nothing.
 */
export function clusterLayout(among: GroupNodes): NodeLayout {
  const known = new WeakMap<Route, Spread>();
  return {
    usualHops: among.isEven ? [1, 2, 3] : [1],
    heapPEs: Math.max(...among.sizes),
    share: 1 / 5,
    bytesOf(route: Route, scratch: number, buffers: Buffers): number {
      const { near, remote } = known.get(route) ?? spreadOf(among, route);
      known.set(route, { near, remote });
      return shareBytes(near, scratch, buffers) + remote * remoteLinkBytes(buffers);
    },
  };
}

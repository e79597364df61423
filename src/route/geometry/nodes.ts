/** The layout of a group over several nodes, on which a conveyor's choices depend: the same at all PEs. */

import type { Buffers } from "../../links/transport/contract.ts";
import { shareBytes } from "../../links/transport/heap/layout.ts";
import { placesOf } from "../../links/transport/heap/link-offsets.ts";
import { remoteLinkBytes } from "../../links/transport/mpi/layout.ts";
import { BY_MPI, heapAt, type Nodes, nodeOf } from "../../links/transport/nodes.ts";
import { DEFAULT_BUFFER_BYTES, type NodeLayout, ownTableBytes } from "./conveyor-choice.ts";
import { type ConveyorRoute, friendsOf } from "./route.ts";

/**
 * A message by MPI costs as much as some 10 KB, so buffers are larger than in shared memory: with 16 KiB an item of 8
 * bytes takes two to four times as long.
 */
const MPI_BUFFER_BYTES = 131_072;

/** The nodes of a group. */
export interface GroupNodes {
  /** By rank in the group: the number of its node in the world. */
  readonly nodeOf: Int32Array;
  /** By node of the group: its number of PEs. */
  readonly sizes: readonly number[];
  /** By node of the group: its number in the world. */
  readonly numbers: readonly number[];
  /** Whether all nodes have the same number of PEs. */
  readonly isEven: boolean;
  /** Whether they have mapped each other's heaps, so that nothing is sent by MPI. */
  readonly areMapped: boolean;
}

export function groupNodes(nodes: Nodes, members: readonly number[]): GroupNodes {
  const places = Int32Array.from(members, (member) => nodeOf(nodes, member));
  const sizes = nodes.starts.slice(1).map((_, node) => places.filter((place) => place === node).length);
  const some = sizes.filter((size) => size > 0);
  const numbers = [...sizes.keys()].filter((node) => (sizes[node] as number) > 0);
  // other nodes of the world may be elsewhere
  const areMapped = sizes.every((size, node) => size === 0 || heapAt(nodes, node) !== BY_MPI);
  return { nodeOf: places, sizes: some, numbers, isEven: new Set(some).size === 1, areMapped };
}

/** Largest number of links of one PE at a hop: all, those to PEs of its node, and those to other nodes. */
interface Spread {
  readonly near: number;
  readonly remote: number;
  /** The latter by hop. */
  readonly remoteByHop: readonly number[];
}

/** Largest number of links of a PE to other nodes: over one hop, or over all of them. */
export type RemoteLinks = (route: ConveyorRoute, hop?: number) => number;

/** By route. One for all PEs: of many PEs it takes long. */
export function remoteLinksOf(among: GroupNodes): RemoteLinks {
  const known = new WeakMap<ConveyorRoute, Spread>();
  return (route, hop) => {
    const spread = known.get(route) ?? spreadOf(among, route);
    known.set(route, spread);
    return hop === undefined ? spread.remote : (spread.remoteByHop[hop] as number);
  };
}

function spreadOf({ nodeOf, sizes }: GroupNodes, route: ConveyorRoute): Spread {
  const most = Math.max(...sizes);
  if (route.hops === 1) {
    const remote = route.size - Math.min(...sizes);
    return { near: most, remote, remoteByHop: [remote] };
  }
  const hops = friendsOf(route, 0).map((hop) => placesOf(hop, most));
  const remoteByHop = hops.map(() => 0);
  let remote = 0;
  for (let rank = 0; rank < route.size; rank++) {
    let all = 0;
    for (const [hop, { friends }] of friendsOf(route, rank).entries()) {
      const own = friends.reduce((sum, pe) => sum + (pe >= 0 && nodeOf[pe] !== nodeOf[rank] ? 1 : 0), 0);
      remoteByHop[hop] = Math.max(remoteByHop[hop] as number, own);
      all += own;
    }
    remote = Math.max(remote, all);
  }
  return { near: hops.reduce((sum, places) => sum + places, 0), remote, remoteByHop };
}

/**
 * Links between nodes have buffers at both ends. Unless `hops` is given, it is the smallest number for which the
 * buffers have their full size. With one hop an item is handled once. But a PE with many links to other nodes has small
 * buffers for each, so it sends more messages, and their number determines the cost between nodes. If nodes have
 * different numbers of PEs, no row of a grid is a node, and more hops gain nothing.
 */
export function nodesLayout(among: GroupNodes): NodeLayout {
  const known = new WeakMap<ConveyorRoute, Spread>();
  return {
    bufferBytes: among.areMapped ? DEFAULT_BUFFER_BYTES : MPI_BUFFER_BYTES,
    usualHops: among.isEven ? [1, 2, 3] : [1],
    leastBytes: DEFAULT_BUFFER_BYTES,
    alsoLarge: true,
    nodeSize: among.isEven ? among.sizes[0] : undefined,
    heapPEs: Math.max(...among.sizes),
    // plans look at some of many PEs (plan/model/shape.ts), and one of a small node has more links to others
    share: 0.9,
    bytesOf(route: ConveyorRoute, scratch: number, buffers: Buffers): number {
      const spread = known.get(route) ?? spreadOf(among, route);
      known.set(route, spread);
      const { near, remote } = spread;
      // the routes are as long as there are PEs, and a node with one PE has them as well
      const tables = ownTableBytes(route) + route.table.byteLength;
      return shareBytes(near, scratch, buffers, tables) + remote * remoteLinkBytes(buffers);
    },
  };
}

/**
 * The load of the links of a hop on the network: how many of them leave or enter the busiest node, cross the network's
 * middle, and pass its busiest link. Every link carries as much as any other.
 *
 * Limits: of more than 2^17 links a sample is counted, and its links are taken to be spread over the network as those
 * of a node that sends as much to any other one. It is the same at all PEs.
 *
 * Example: 2 nodes of 4 PEs, one hop: 16 links leave each node and 16 enter it.
 */
import type { NetworkSettings, SimulatedTopology } from "../network/network.ts";
import { topologyOf } from "../network/topology.ts";
import type { CostModel } from "./cost-model.ts";

/** Numbers of links between PEs. */
export interface Traffic {
  /** Those out of the node with the most, and those into the one with the most. */
  readonly out: number;
  readonly into: number;
  /** Those from one half of the nodes to the other, in the direction with more. */
  readonly cut: number;
  /** Those over a link of the network, times its ns per byte; of the one with the most. */
  readonly link: number;
}

export const NO_TRAFFIC: Traffic = { out: 0, into: 0, cut: 0, link: 0 };
/** Most links that are counted one by one, and most nodes between which they are. */
const COUNTED = 2 ** 17;
const COUNTED_NODES = 2 ** 11;
/** Nodes of a sample, at most: some neighbours at a time, as rows may begin in the middle of a node. */
const SAMPLED_NODES = 32;
const NEIGHBOURS = 8;

/** The friends of a PE at a hop, by its position in the grid. */
export interface Friends {
  readonly count: number;
  /** The position of one; beyond the last PE if there is none. */
  readonly at: (place: number, link: number) => number;
}

type Nodes = Pick<CostModel, "pes" | "nodes" | "nodeOf" | "network">;

/** @param order by position in the grid: the rank */
export function trafficOf(model: Nodes, order: Int32Array, friends: Friends): Traffic {
  const { pes, nodes } = model;
  if (nodes === 1) return NO_TRAFFIC;
  const { congestion } = model.network;
  if (pes * friends.count <= COUNTED && nodes <= COUNTED_NODES)
    return counted(linksOfNodes(model, order, friends), nodes, congestion);
  return friends.count < pes ? sampled(model, order, friends) : uniform(model, friends.count, congestion);
}

/** By sending and receiving node: the number of links. */
function linksOfNodes({ pes, nodes, nodeOf }: Nodes, order: Int32Array, { count, at }: Friends): Float64Array {
  const links = new Float64Array(nodes * nodes);
  for (let place = 0; place < pes; place++) {
    const from = nodeOf[order[place]];
    for (let link = 0; link < count; link++) {
      const to = at(place, link);
      if (to < pes) links[from * nodes + nodeOf[order[to]]]++;
    }
  }
  return links;
}

function counted(between: Float64Array, nodes: number, congestion: NetworkSettings["congestion"]): Traffic {
  const topology = topologyOf(congestion?.topology ?? null, nodes);
  const [out, into, cut] = [new Float64Array(nodes), new Float64Array(nodes), new Float64Array(2)];
  const over = new Map<number, number>();
  for (let from = 0; from < nodes; from++) {
    for (let to = 0; to < nodes; to++) {
      const links = between[from * nodes + to];
      if (from === to || links === 0) continue;
      out[from] += links;
      into[to] += links;
      if (topology.isBeyond(from) !== topology.isBeyond(to)) cut[topology.isBeyond(to) ? 1 : 0] += links;
      for (const link of topology.path(from, to)) {
        over.set(link, (over.get(link) ?? 0) + links * topology.byte(link));
      }
    }
  }
  return { out: most(out), into: most(into), cut: most(cut), link: most(over.values()) };
}

const most = (amounts: Iterable<number>): number => {
  let largest = 0;
  for (const amount of amounts) largest = Math.max(largest, amount);
  return largest;
};

/**
 * Equal nodes, whose PEs have friends in the same way: as much comes into a node as goes out of it. Of some nodes some
 * friends of each PE are counted, other ones of the next PE.
 */
function sampled({ pes, nodes, nodeOf, network }: Nodes, order: Int32Array, { count, at }: Friends): Traffic {
  const { topology = null } = network.congestion ?? {};
  const { isBeyond } = topologyOf(topology, nodes);
  const apart = Math.max(NEIGHBOURS, Math.ceil((nodes * NEIGHBOURS) / SAMPLED_NODES));
  const step = Math.ceil((SAMPLED_NODES * (pes / nodes) * count) / COUNTED);
  const out = new Map<number, number>();
  let [looked, away, crossing] = [0, 0, 0];
  for (let place = 0; place < pes; place++) {
    const from = nodeOf[order[place]];
    if (from % apart >= NEIGHBOURS) continue;
    let own = 0;
    for (let link = looked++ % step; link < count; link += step) {
      const other = at(place, link);
      const to = other < pes ? nodeOf[order[other]] : from;
      if (to === from) continue;
      own++;
      if (isBeyond(to) !== isBeyond(from)) crossing++;
    }
    away += own;
    out.set(from, (out.get(from) ?? 0) + own);
  }
  const busiest = most(out.values()) * step;
  // of all PEs
  const share = (step * pes) / looked;
  return { out: busiest, into: busiest, cut: (crossing * share) / 2, link: away * share * linkShare(topology, nodes) };
}

/** Equal nodes, each of which sends as much to any other. */
function uniform({ pes, nodes }: Nodes, links: number, congestion: NetworkSettings["congestion"]): Traffic {
  // of the links of a PE as many lead to its own node as to any other
  const out = ((pes / nodes) * links * (nodes - 1)) / nodes;
  const all = out * nodes;
  const half = (all * nodes) / 4 / (nodes - 1);
  return { out, into: out, cut: half, link: all * linkShare(congestion?.topology ?? null, nodes) };
}

/** Of uniform traffic, the share over the busiest link, times its ns per byte. */
function linkShare(topology: SimulatedTopology | null, nodes: number): number {
  if (topology === null) return 0;
  const pairs = nodes * (nodes - 1);
  if (topology.kind === "full") return topology.byte / pairs;
  if (topology.kind === "mesh") {
    const columns = topology.columns ?? Math.sqrt(nodes);
    // a row's middle link: half of the row to half of the nodes; a column's in the same way
    const longest = Math.max(columns, nodes / columns);
    return (topology.byte * (longest / 2) * (nodes / 2)) / pairs;
  }
  let size = 1;
  let largest = 0;
  for (const { children = 1, byte } of topology.levels) {
    if (size < nodes) largest = Math.max(largest, (byte * size * (nodes - size)) / pairs);
    size *= children;
  }
  return largest;
}

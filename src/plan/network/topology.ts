/**
 * Topologies: which links a message takes from node to node, how fast they are, and which half of the network a node is
 * in. Links go in one direction; there is one for each.
 *
 *     full       a link for each ordered pair of nodes
 *     mesh       rows of `columns` nodes, links between neighbours; along the row first, then along the column
 *     fat-tree   up to the lowest switch that both nodes are below, and down again; one link up from each subtree, and
 *                one down to it
 *
 * The halves, whose cut `bisection` limits: the nodes with the smaller numbers and the others; of a mesh those of its
 * longer side; of a fat tree as many subtrees of the highest switch that has several as make at most half.
 */
import type { SimulatedTopology } from "./network.ts";

export interface NetworkTopology {
  /** The numbers of the links of a path, in order. */
  path(from: number, to: number): readonly number[];
  /** ns per byte of a link. */
  byte(link: number): number;
  /** Whether a node is in the second half. */
  isBeyond(node: number): boolean;
}

const NO_LINKS: readonly number[] = [];

/** Without a topology, messages take no links. */
export function topologyOf(topology: SimulatedTopology | null, nodes: number): NetworkTopology {
  const half = Math.floor(nodes / 2);
  if (topology === null) {
    return { path: () => NO_LINKS, byte: () => 0, isBeyond: (node) => node >= half };
  }
  switch (topology.kind) {
    case "full": {
      const { byte } = topology;
      return {
        path: (from, to) => [from * nodes + to],
        byte: () => byte,
        isBeyond: (node) => node >= half,
      };
    }
    case "mesh":
      return meshOf(topology.columns ?? squarest(nodes), topology.byte, nodes);
    case "fat-tree":
      return fatTreeOf(topology.levels, nodes);
  }
}

/** The number of columns of a mesh that is as square as possible, and not higher than wide. */
function squarest(nodes: number): number {
  let rows = Math.floor(Math.sqrt(nodes));
  while (nodes % rows !== 0) rows--;
  return nodes / rows;
}

/** Links of a node: to its right, left, lower, upper neighbour. */
function meshOf(columns: number, byte: number, nodes: number): NetworkTopology {
  const rows = nodes / columns;
  return {
    path(from, to) {
      const links: number[] = [];
      const column = to % columns;
      let at = from;
      for (const step = Math.sign(column - (at % columns)); at % columns !== column; at += step) {
        links.push(4 * at + (step > 0 ? 0 : 1));
      }
      for (const step = Math.sign(to - at) * columns; at !== to; at += step) {
        links.push(4 * at + (step > 0 ? 2 : 3));
      }
      return links;
    },
    byte: () => byte,
    isBeyond: (node) =>
      columns >= rows ? node % columns >= Math.floor(columns / 2) : Math.floor(node / columns) >= Math.floor(rows / 2),
  };
}

/** Links: 2 (level * nodes + subtree) up from a subtree of the level below, and the next one down to it. */
function fatTreeOf(
  levels: readonly { readonly children?: number | undefined; readonly byte: number }[],
  nodes: number,
): NetworkTopology {
  // by level: number of nodes of a subtree that has a link up to it
  const sizes = [1];
  for (const { children } of levels.slice(0, -1)) sizes.push((sizes.at(-1) as number) * (children ?? 1));
  // a higher switch with one subtree has no halves
  const top = sizes.findLast((size) => size < nodes) ?? 1;
  const cut = Math.floor(Math.ceil(nodes / top) / 2) * top;
  return {
    path(from, to) {
      const up: number[] = [];
      const down: number[] = [];
      for (const [level, size] of sizes.entries()) {
        const [here, there] = [Math.floor(from / size), Math.floor(to / size)];
        if (here === there) break;
        up.push(2 * (level * nodes + here));
        down.unshift(2 * (level * nodes + there) + 1);
      }
      return [...up, ...down];
    },
    byte: (link) => levels[Math.floor(link / 2 / nodes)].byte,
    isBeyond: (node) => node >= cut,
  };
}

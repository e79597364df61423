/**
 * The meshes that a plan tries: few, as each takes time to predict.
 *
 * Between nodes a mesh gains where a PE has few links: a hop with up to 4 to other nodes ends by last messages, without
 * a vote that waits until all buffers are given back (geometry/ends.ts). So the nodes are divided into dimensions of at
 * most 5, as few as possible. Within a node there is one dimension, or two: as equal as possible, or a domain and the
 * number of domains.
 *
 * Limits: nodes of equal size. Up to 4096 PEs: of more the table of a PE's ways (geometry/mesh-ways.ts) is larger than
 * its first cache, which the model does not count, and those of all PEs fill the memory of a simulation.
 *
 * Example: 64 nodes of 32 PEs: 32 x 4 x 4 x 4 and 4 x 8 x 4 x 4 x 4; with domains of 8 PEs also 8 x 4 x 4 x 4 x 4. On
 * one node 4 x 8, or 8 x 4.
 */
import { MOST_REMOTE } from "../../route/geometry/ends.ts";
import { WAY_BYTES } from "../../route/geometry/mesh-ways.ts";
import { MOST_DIMENSIONS } from "../../route/geometry/options.ts";
import type { CostModel } from "./cost-model.ts";

/** PEs along a dimension between nodes, at most, if they can be divided so. */
const MOST_NODES = MOST_REMOTE + 1;

/** Bytes of a PE's table of ways. */
const MOST_BYTES = 32_768;

/** @param domains sizes of measured domains, nodes among them */
export function meshesOf(
  { pes, nodes, nodeSize }: Pick<CostModel, "pes" | "nodes" | "nodeSize">,
  domains: readonly number[],
): number[][] {
  if (nodes * nodeSize !== pes || pes * WAY_BYTES > MOST_BYTES) return [];
  const between = dividedNodes(nodes);
  const parts = [largestRoot(nodeSize), ...domains].filter((n) => n > 1 && n < nodeSize && nodeSize % n === 0);
  const within = [...(nodeSize === 1 ? [[]] : [[nodeSize]]), ...[...new Set(parts)].map((n) => [n, nodeSize / n])];
  return within.map((node) => [...node, ...between]).filter(({ length }) => length > 1 && length <= MOST_DIMENSIONS);
}

/** Their number as a product of numbers of up to {@link MOST_NODES}, and of larger primes where it has them. */
function dividedNodes(nodes: number): number[] {
  const sizes: number[] = [];
  for (let left = nodes; left > 1; ) {
    let size = MOST_NODES;
    while (size > 1 && left % size !== 0) size--;
    if (size === 1) for (size = MOST_NODES + 1; left % size !== 0; ) size++;
    sizes.push(size);
    left /= size;
  }
  return sizes.sort((a, b) => a - b);
}

/** The largest divisor up to the square root. */
function largestRoot(n: number): number {
  let root = Math.floor(Math.sqrt(n));
  while (n % root !== 0) root--;
  return root;
}

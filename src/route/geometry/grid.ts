/**
 * The grid of PEs for two or three hops: which PEs share a row.
 *
 * A row is a group of PEs that are near each other: one of the domains found in the measured machine, or a node. With
 * two hops over nodes a row is a node: then each PE has one link to each other node, the fewest. Otherwise, among the
 * partitions into parts of equal size, the grid uses the one whose size is nearest to the square root (cube root) of
 * the number of PEs. If there is none, it uses the nearest divisor and fills the rows domain by domain.
 *
 * Source: Maley, DeVinney, "Conveyors for Streaming Many-To-Many Communication", section 4.3.1, where a row is the PEs
 * of one node.
 *
 * Example: 12 PEs with domains {0, 2, 4, 6, 8, 10} and {1, 3, …}, 2 hops: rows of 3 or 4 would be nearest to 3.5, but
 * no partition has that size; 6 is the only size: rows {0, 2, 4, …} and {1, 3, 5, …}.
 */

/** Partitions of the PEs: by rank, the index of its part. */
export type Levels = readonly Int32Array[];

/** The rows of a grid. */
export interface Grid {
  /** PEs in a row. */
  readonly groupSize: number;
  /** By position in the grid, row by row: the rank. */
  readonly ranks: Int32Array;
}

/**
 * @param hops 2 or 3
 * @param groupSize PEs in a row, if given
 * @param nodeSize PEs of each node, if there are several nodes of equal size
 */
export function gridOf(
  size: number,
  hops: number,
  levels: Levels,
  groupSize: number | undefined,
  nodeSize?: number,
): Grid {
  const wish = size ** (1 / hops);
  const sizes = levels.map(sizeOfParts).filter((n) => n > 1 && n < size);
  const row = groupSize ?? (hops === 2 && sizes.includes(nodeSize ?? 0) ? nodeSize : undefined);
  const n = row ?? nearest(sizes, wish) ?? nearest(divisors(size), wish) ?? 1;
  return { groupSize: n, ranks: byDomains(size, levels) };
}

/**
 * The ranks, ordered so that those which share a part are adjacent. Cached: they are the same for all PEs, and a
 * virtual machine has thousands of PEs in one thread.
 */
export function byDomains(size: number, levels: Levels): Int32Array {
  const ranks = known.get(levels) ?? newOrder(size, levels);
  known.set(levels, ranks);
  return ranks;
}

const known = new WeakMap<Levels, Int32Array>();

function newOrder(size: number, levels: Levels): Int32Array {
  const coarseFirst = [...levels].sort((a, b) => parts(a) - parts(b));
  const byRank = Int32Array.from({ length: size }, (_, rank) => rank);
  if (levels.length === 0) return byRank;
  return byRank.sort((a, b) => {
    const level = coarseFirst.find((part) => part[a] !== part[b]);
    return level === undefined ? a - b : (level[a] as number) - (level[b] as number);
  });
}

const parts = (level: Int32Array): number => new Set(level).size;

/** The number of PEs of each part. */
export function membersOfParts(level: Int32Array): number[] {
  const counts = new Map<number, number>();
  for (const part of level) counts.set(part, (counts.get(part) ?? 0) + 1);
  return [...counts.values()];
}

/** The size of all parts; 0 if they differ. */
export function sizeOfParts(level: Int32Array): number {
  const sizes = new Set(membersOfParts(level));
  return sizes.size === 1 ? ([...sizes][0] as number) : 0;
}

const divisors = (size: number): number[] =>
  Array.from({ length: size }, (_, i) => i + 1).filter((n) => size % n === 0);

/** The size whose ratio to `wish` is nearest to 1. */
function nearest(sizes: readonly number[], wish: number): number | undefined {
  const distance = (n: number) => Math.abs(Math.log(n / wish));
  return sizes.length === 0 ? undefined : sizes.reduce((best, n) => (distance(n) < distance(best) ? n : best));
}

/** The nodes of a world: which PE is on which one, which share a machine, and where heaps of others are mapped. */

/** The nodes of a world; cloneable. */
export interface Nodes {
  /** This node. */
  readonly node: number;
  /** The first rank of each node; after the last one, the world's size. Ranks are consecutive within a node. */
  readonly starts: readonly number[];
  /** By node: the first node of its machine. @default each is on a machine of its own */
  readonly hosts?: readonly number[] | undefined;
  /**
   * By node: the byte offset of its heap in the memory of this one (links/world/nodes/mapped-heaps.ts); {@link BY_MPI}
   * if it is not there. @default no other node's is
   */
  readonly heaps?: readonly number[] | undefined;
}

/** In place of an offset: a node that is reached by MPI. */
export const BY_MPI = -1;

/** Byte offset of a node's heap in this memory; {@link BY_MPI} if it is not there. */
export const heapAt = ({ heaps }: Nodes, node: number): number => heaps?.[node] ?? BY_MPI;

/** Whether all nodes have mapped each other's heaps. */
export const areAllMapped = ({ heaps }: Nodes): boolean => heaps?.every((at) => at !== BY_MPI) ?? false;

/** The node of a rank. */
export function nodeOf({ starts }: Nodes, rank: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= rank) low = middle;
    else high = middle;
  }
  return low;
}

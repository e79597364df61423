/**
 * A tree as one PE sees it, for every root.
 *
 * It contains the PE's neighbours in the tree, and for each root the neighbour towards it. A broadcast from any root
 * uses the same edges: it is received from the neighbour towards the root and forwarded to all others. Another root
 * than the tree's own reverses the edges on one path. The tree was optimised for its own root, and is a valid tree for
 * every other.
 *
 * Limits: `towards` has one entry per PE.
 *
 * Example, tree 0 -> [2, 1], 2 -> [3], at PE 2: neighbours [0, 3], towards[3] = 1 (PE 3), towards[0] = towards[1] = 0
 * (PE 0), towards[2] = -1 (itself).
 */
import type { Tree } from "../../../trees/model/tree.ts";

/** One PE's position in a tree. */
export interface Route {
  /** The neighbours in the order in which a broadcast sends to them: the parent first, then the children. */
  readonly neighbours: readonly number[];
  /** For each root, the index in `neighbours` of the one towards it; -1 for this PE itself. */
  readonly towards: Int32Array;
}

const known = new WeakMap<object, Int32Array>();

/** By rank, its parent in a tree; -1 for none. It is kept, as virtual PEs share a thread. */
export function parentsIn(tree: Pick<Tree, "children">, size: number): Int32Array {
  const kept = known.get(tree);
  if (kept?.length === size) return kept;
  const parents = new Int32Array(size).fill(-1);
  for (const [parent, children] of Object.entries(tree.children)) {
    for (const child of children) parents[child] = Number(parent);
  }
  known.set(tree, parents);
  return parents;
}

/** The position of `rank` in a tree over the ranks 0 to `size` - 1. */
export function routeOf(tree: Pick<Tree, "root" | "children">, size: number, rank: number): Route {
  const childrenOf = (v: number): readonly number[] => tree.children[v] ?? [];
  const parent = parentsIn(tree, size)[rank];
  // with another root the parent leads to the larger part of the tree, so it is sent to first
  const neighbours = parent < 0 ? [...childrenOf(rank)] : [parent, ...childrenOf(rank)];
  const towards = new Int32Array(size).fill(parent < 0 ? -1 : 0);
  towards[rank] = -1;
  for (let i = parent < 0 ? 0 : 1; i < neighbours.length; i++) {
    const below = [neighbours[i]];
    for (let v = below.pop(); v !== undefined; v = below.pop()) {
      towards[v] = i;
      below.push(...childrenOf(v));
    }
  }
  return { neighbours, towards };
}

/** The tree as a broadcast from another root traverses it. */
export function reroot(
  tree: Pick<Tree, "root" | "children">,
  size: number,
  root: number,
): Pick<Tree, "root" | "children"> {
  const children: Record<string, number[]> = {};
  for (let rank = 0; rank < size; rank++) {
    const { neighbours, towards } = routeOf(tree, size, rank);
    const served = neighbours.filter((_, i) => i !== towards[root]);
    if (served.length > 0) children[rank] = served;
  }
  return { root, children };
}

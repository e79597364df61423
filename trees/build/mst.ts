/**
 * Minimum spanning tree of the edge costs, with at most two children per PE.
 *
 * What: Prim's algorithm on the directed costs send + propagate + receive: the cheapest edge from the tree to a PE
 * outside joins it next, in that order it is sent. A PE with two children takes no more. Ties: the sender that joined
 * first, then the lower PE. Limits: parallelism is ignored; a chain of cheap edges stays a chain. O(n^2), and O(n) for
 * every PE whose cheapest sender gets full. Source: Smelt (OSDI'16) section 2.4 describes plain Prim; its Simulator
 * (`minmax_degree`) caps the out-degree at 2, which is what its results show. Sums there are without propagate, which
 * is 0.
 *
 * Example: costs 0-1: 1, 0-2: 5, 1-2: 2 from root 0 give 0: 1; 1: 2.
 */
import { edgeCost } from "../model/problem.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";

const MAX_CHILDREN = 2;

/** Builds the capped minimum spanning tree from the forced root, else from the lowest PE. */
export function mst(problem: TreeProblem): Shape {
  return cappedPrim(problem, (from, to) => edgeCost(problem, from, to));
}

/** Prim's algorithm with at most two children per PE, on any weights. */
export function cappedPrim(problem: TreeProblem, weight: (from: number, to: number) => number): Shape {
  const { size } = problem;
  const root = problem.root ?? 0;
  const children: number[][] = Array.from({ length: size }, () => []);
  const joined = [root];
  const joinedAt = new Int32Array(size).fill(-1);
  joinedAt[root] = 0;
  // the cheapest edge into each PE outside: its sender and weight
  const sender = new Int32Array(size).fill(root);
  const cheapest = Float64Array.from({ length: size }, (_, to) => (to === root ? 0 : weight(root, to)));

  const offer = (from: number, to: number): void => {
    const w = weight(from, to);
    if (w < (cheapest[to] as number)) {
      cheapest[to] = w;
      sender[to] = from;
    }
  };
  const rank = (to: number): number => joinedAt[sender[to] as number] as number;

  while (joined.length < size) {
    let next = -1;
    for (let to = 0; to < size; to++) {
      if ((joinedAt[to] as number) >= 0) continue;
      const gain = next < 0 ? -1 : (cheapest[to] as number) - (cheapest[next] as number);
      if (gain < 0 || (gain === 0 && rank(to) < rank(next))) next = to;
    }
    const parent = sender[next] as number;
    (children[parent] as number[]).push(next);
    joinedAt[next] = joined.length;
    joined.push(next);
    const full = (children[parent] as number[]).length === MAX_CHILDREN;
    for (let to = 0; to < size; to++) {
      if ((joinedAt[to] as number) >= 0) continue;
      if (full && sender[to] === parent) {
        cheapest[to] = Number.POSITIVE_INFINITY;
        for (const from of joined) {
          if ((children[from] as number[]).length < MAX_CHILDREN) offer(from, to);
        }
      } else offer(next, to);
    }
  }
  return { root, children };
}

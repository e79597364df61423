/**
 * Fibonacci tree: the left subtree of a PE is one order larger than the right one, because the left
 * child has the message earlier.
 *
 * What: a tree of order k has a root with subtrees of order k-1 and k-2 (order 0 is empty), so F(k+2)-1 PEs. The
 * smallest one that holds the group is cut to its size, level by level, and its places are given to the PEs in
 * ascending order; a forced root comes first. Limits: costs are ignored. Smelt sorts places by the length of a digit
 * string, which is no longer the level from order 11 on (more than 143 PEs); here it is always the level. Source: Smelt
 * (OSDI'16) section 2.4; Simulator `fibonacci`.
 *
 * Example: 6 PEs need order 4 (7 places): 0: 1, 2; 1: 3, 4; 2: 5.
 */
import { layOut, rootFirst } from "../model/shape.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";

/** Builds the Fibonacci tree over the group. */
export function fibonacci(problem: TreeProblem): Shape {
  const places = [{ order: smallestOrder(problem.size), parent: 0 }];
  for (let i = 0; places.length < problem.size; i++) {
    const { order } = places[i] as { order: number };
    for (const suborder of [order - 1, order - 2]) {
      if (suborder > 0) places.push({ order: suborder, parent: i });
    }
  }
  return layOut(rootFirst(problem), (position) => places[position]?.parent ?? 0);
}

function smallestOrder(size: number): number {
  let order = 0;
  // places of a tree of this order, and of one order more
  for (let [places, next] = [0, 1]; places < size; order++) [places, next] = [next, places + next + 1];
  return order;
}

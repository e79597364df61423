/**
 * Bad tree: the most expensive edges that a spanning tree can have. It shows that the tree matters.
 *
 * What: the capped spanning tree of `mst` on inverted weights.
 * Limits: meant for comparison only; it is not the worst tree, only a bad one.
 * Source: Simulator `badtree` (largest weight + 1 - weight); Smelt (OSDI'16) section 2.4.
 *
 * Example: costs 0-1: 1, 0-2: 5, 1-2: 2 from root 0 give 0: 2; 2: 1.
 */

import { edgeCost } from "../model/problem.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";
import { cappedPrim } from "./mst.ts";

/** Builds the bad tree from the forced root, else from the lowest PE. */
export function bad(problem: TreeProblem): Shape {
  return cappedPrim(problem, (from, to) => -edgeCost(problem, from, to));
}

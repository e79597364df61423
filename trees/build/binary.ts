/**
 * Binary tree: every PE forwards to two others.
 *
 * What: a heap laid over the PEs in ascending order: position i sends to positions 2i+1 and 2i+2. A forced root comes
 * first, the others follow in ascending order. Limits: costs are ignored. Source: Smelt (OSDI'16) section 2.4;
 * Simulator `bintree`.
 *
 * Example: PEs 0 to 5 give 0: 1, 2; 1: 3, 4; 2: 5.
 */
import { layOut, rootFirst } from "../model/shape.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";

/** The parent's position in a heap. */
export const heapParent = (position: number): number => (position - 1) >> 1;

/** Builds the binary tree over the group. */
export function binary(problem: TreeProblem): Shape {
  return layOut(rootFirst(problem), heapParent);
}

/**
 * Sequential tree (a star): the root sends to every other PE itself.
 *
 * What: children in the order in which the caller named the PEs; the first one named is the root. Limits: costs are
 * ignored; n - 1 sends one after another. Good for small groups far apart. Source: Smelt (OSDI'16) section 2.4;
 * Simulator `sequential`.
 *
 * Example: PEs 4, 2, 7 give root 4 with children 2, 7.
 */
import { layOut } from "../model/shape.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";

/** Builds the star around the forced root, else around the PE named first. */
export function sequential(problem: TreeProblem): Shape {
  const root = problem.root ?? (problem.order[0] as number);
  return layOut([root, ...problem.order.filter((member) => member !== root)], () => 0);
}

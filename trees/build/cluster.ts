/**
 * Cluster tree: a binary tree between the domains, a star inside each.
 *
 * What: the lowest PE of each domain is its coordinator. Coordinators form a heap in ascending order; a coordinator
 * sends to its coordinator children first, then to the other PEs of its domain in ascending order. A forced root
 * coordinates its domain and comes first. Limits: one level of domains; costs are ignored; with one domain it is the
 * star. Source: Smelt (OSDI'16) section 2.4; Simulator `cluster`.
 *
 * Example: domains {0, 1, 2} and {3, 4} give 0: 3, 1, 2; 3: 4.
 */

import { layOut, rootFirst } from "../model/shape.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";
import { heapParent } from "./binary.ts";

/** Builds the cluster tree over the preferred domains of the problem. */
export function cluster(problem: TreeProblem): Shape {
  const domain = problem.domains[0] as Int32Array;
  const order = rootFirst(problem);
  // the first PE of each domain in this order
  const coordinators = order.filter((pe, i) => order.findIndex((other) => domain[other] === domain[pe]) === i);
  const others = order.filter((pe) => !coordinators.includes(pe));
  return layOut([...coordinators, ...others], (position) =>
    position < coordinators.length
      ? heapParent(position)
      : coordinators.findIndex((pe) => domain[pe] === domain[others[position - coordinators.length] as number]),
  );
}

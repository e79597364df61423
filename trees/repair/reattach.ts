/**
 * A broadcast tree that has come apart, put together again.
 *
 * What: the part below the root stays as it is, and so does every part that has lost its parent. The parts
 * are hung in again one by one, the one that takes longest by itself first, each where the message can be at
 * its head first: after all that its new parent sends so far.
 *
 * Limits: greedy, and nothing that stands is moved; repair.ts improves on it. O(n) for each part.
 * Source: ECEF (ecef.ts) with parts in place of single PEs.
 *
 * Example: send 2, receive 3 everywhere. 0 has the child 1 and that has 2 and 3; 1 is gone. 2 goes to 0 (there
 * at 5), then 3: from 0 it would be there at 7, from 2 at 10, so to 0.
 */

import { smeltRoot } from "../build/smelt.ts";
import { bestOrder, type Judged } from "../model/child-order.ts";
import { broadcastLatency, broadcastTimes } from "../model/latency.ts";
import { edgeCost } from "../model/problem.ts";
import { topDown } from "../model/shape.ts";
import type { Shape, TreeProblem } from "../model/types.ts";
import { least } from "../search/candidates.ts";

/** What is left of a tree: places are members of the problem, and from `size` on those who have left. */
export interface Remains {
  readonly root: number;
  /** Of each place; members below no other, and not the root, are to be hung in, such as those that join. */
  readonly children: readonly (readonly number[])[];
}

/** So many heads are tried as the root where it is free. */
const ROOTS = 8;

/** The remains as one tree, children in the best order; its root is the one asked for, the old one or the best. */
export function reattach(problem: TreeProblem, remains: Remains): Judged {
  const { size } = problem;
  const parts = remains.children.slice(0, size).map((list) => list.filter((child) => child < size));
  const root = problem.root ?? (remains.root < size ? remains.root : undefined);
  const roots =
    root === undefined ? [...longestFirst(problem, parts).slice(0, ROOTS), smeltRoot(problem)] : [root];
  const reattached = roots.map((head) => bestOrder(problem, hangIn(problem, parts, head)));
  return least(reattached, ({ latency }) => latency);
}

function hangIn(problem: TreeProblem, parts: Remains["children"], root: number): Shape {
  // a root from within a part leaves it, with all below
  const children = parts.map((list) => list.filter((child) => child !== root));
  const shape = { root, children };
  for (const head of longestFirst(problem, children)) {
    if (head === root) continue;
    const { idle } = broadcastTimes(problem, shape);
    const parent = least(topDown(shape), (v) => (idle[v] as number) + edgeCost(problem, v, head));
    (children[parent] as number[]).push(head);
  }
  return shape;
}

/** The heads of all parts, by the time that a message takes from the head to all of its part. */
function longestFirst(problem: TreeProblem, parts: Remains["children"]): number[] {
  const below = new Set(parts.flat());
  return problem.cores
    .flatMap((_, root) => {
      if (below.has(root)) return [];
      return { root, time: broadcastLatency(problem, { root, children: parts }) };
    })
    .sort((a, b) => b.time - a.time)
    .map(({ root }) => root);
}

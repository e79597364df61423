/**
 * Reattaches the parts of a broadcast tree that has lost PEs.
 *
 * The part below the root stays as it is, and so does every part that has lost its parent. The parts are attached again
 * one by one, the slowest part first, each where the message reaches its head first: after all present sends of the new
 * parent.
 *
 * Limits: greedy, and no attached part is moved again; repair.ts improves the result. O(n) for each part. Source: ECEF
 * (ecef.ts) with parts instead of single PEs.
 *
 * Example: send 2, receive 3 everywhere. 0 has the child 1 and that has 2 and 3; 1 has left. 2 is attached to 0 (there
 * at 5). Then 3: from 0 it would be there at 7, from 2 at 10, so it is attached to 0.
 */

import { smeltRoot } from "../build/smelt.ts";
import { bestOrder, type Judged } from "../model/child-order.ts";
import { broadcastLatency, broadcastTimes } from "../model/latency.ts";
import { edgeCost } from "../model/problem.ts";
import { topDown } from "../model/shape.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";
import { least } from "../search/candidates.ts";

/** The remains of a tree: positions are members of the problem, and from `size` on those that have left. */
export interface Remains {
  readonly root: number;
  /** By position; members that are not children and not the root must be attached, for example those that join. */
  readonly children: readonly (readonly number[])[];
}

/** Number of heads that are tried as the root if it is not given. */
const ROOTS = 8;

/** The remains as one tree, children in the best order; its root is the given one, the old one or the best. */
export function reattach(problem: TreeProblem, remains: Remains): Judged {
  const { size } = problem;
  const parts = remains.children.slice(0, size).map((list) => list.filter((child) => child < size));
  const root = problem.root ?? (remains.root < size ? remains.root : undefined);
  const roots = root === undefined ? [...longestFirst(problem, parts).slice(0, ROOTS), smeltRoot(problem)] : [root];
  const reattached = roots.map((head) => bestOrder(problem, hangIn(problem, parts, head)));
  return least(reattached, ({ latency }) => latency);
}

function hangIn(problem: TreeProblem, parts: Remains["children"], root: number): Shape {
  // a root from within a part leaves it, with all members below it
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

/** The heads of all parts, by the time of a message from the head to its whole part, descending. */
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

/**
 * Improves a tree step by step on its critical path: the path to the member that has the message last.
 *
 * A member on that path moves, with all below it, to another parent, or exchanges its position with any other member. A
 * change that makes the whole tree faster is kept, until none does or the limit of tries is reached. A change is
 * evaluated on its path to the root only (timed-tree.ts), so a try takes about a microsecond for any size of the tree.
 *
 * Limits: it ends in a tree that no single change makes faster; annealing (anneal.ts) finds better ones, in ten times
 * the time and more.
 *
 * Source: hill climbing on the critical path.
 *
 * Example: send 2, receive 3 everywhere, the chain 0, 1, 2 takes 10: 2 moves below 0, after 1, which takes 7.
 */
import { bestOrder, type Judged } from "../model/child-order.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";
import { TimedTree } from "./timed-tree.ts";

/** Largest number of changes tried. */
const TRIES = 1500;
/** Number of parents tried for a member: those that could deliver the message first. */
const PARENTS = 4;

/** The shape after all steps, children in the best order; never slower, the root is the same. */
export function descend(problem: TreeProblem, start: Shape): Judged {
  const tree = new TimedTree(problem, start);
  let left = TRIES;
  while (left > 0 && step());
  return bestOrder(problem, tree.shape());

  /** Makes the first change that is an improvement; false if there is none. */
  function step(): boolean {
    tree.clock();
    // from the end: a member with fewer members below it has more possible positions
    const path = tree.criticalPath().slice(1).reverse();
    return path.some(relocated) || path.some(exchanged);
  }

  function relocated(v: number): boolean {
    const before = tree.latency();
    const from = tree.parent[v] as number;
    return parentsFor(v).some((to) => {
      left--;
      tree.relocate(v, to);
      if (tree.latency() < before) return true;
      tree.relocate(v, from);
      return false;
    });
  }

  function parentsFor(v: number): number[] {
    const latency = tree.latency();
    const first: { to: number; at: number }[] = [];
    for (let to = 0; to < problem.size; to++) {
      if (tree.soonest(to, v) >= latency || to === tree.parent[v] || tree.isAbove(v, to)) continue;
      first.push({ to, at: tree.delivery(to, v) });
    }
    return first
      .sort((a, b) => a.at - b.at)
      .slice(0, PARENTS)
      .map(({ to }) => to);
  }

  function exchanged(v: number): boolean {
    const before = tree.latency();
    const now = tree.timeInPlace(v, v);
    for (let u = 0; u < problem.size && left > 0; u++) {
      // the position on the critical path must become faster
      if (u === v || u === tree.root || tree.timeInPlace(u, v) >= now) continue;
      left--;
      tree.exchange(u, v);
      if (tree.latency() < before) return true;
      tree.exchange(u, v);
    }
    return false;
  }
}

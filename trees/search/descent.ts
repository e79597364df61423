/**
 * A tree made better step by step where it is slow: on the way to the member that has the message last.
 *
 * What: a member on that way goes, with all below it, to another parent, or exchanges its place with any other
 * member; what makes the whole tree faster stays, until nothing does or so many changes have been tried. A
 * change is judged on its way to the root alone (timed-tree.ts), so a try takes about a microsecond however
 * large the tree is.
 *
 * Limits: ends in the first tree that no single change makes faster; annealing (anneal.ts) gets beyond, for
 * ten times the time and more.
 * Source: TREES.md part 2, section 4, step 9: hill climbing on the critical path.
 *
 * Example: send 2, receive 3 everywhere, the chain 0, 1, 2 takes 10: 2 goes below 0, after 1, which takes 7.
 */
import { bestOrder, type Judged } from "../model/child-order.ts";
import type { Shape, TreeProblem } from "../model/types.ts";
import { TimedTree } from "./timed-tree.ts";

/** Changes that are tried at most. */
const TRIES = 1500;
/** So many parents are tried for a member: those that could have the message there first. */
const PARENTS = 4;

/** The shape after all steps, children in the best order; never slower, the root is the same. */
export function descend(problem: TreeProblem, start: Shape): Judged {
  const tree = new TimedTree(problem, start);
  let left = TRIES;
  while (left > 0 && step());
  return bestOrder(problem, tree.shape());

  /** Makes the first change that is for the better; false when there is none. */
  function step(): boolean {
    tree.clock();
    // from the end: the less there is below a member, the more places there are for it
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
      // the place on the critical path has to become faster
      if (u === v || u === tree.root || tree.timeInPlace(u, v) >= now) continue;
      left--;
      tree.exchange(u, v);
      if (tree.latency() < before) return true;
      tree.exchange(u, v);
    }
    return false;
  }
}

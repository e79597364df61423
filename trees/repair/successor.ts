/**
 * Repairs a broadcast tree that PEs have left, with successors in their positions.
 *
 * The position of a PE that has left may be taken by a PE without children, or by one that joins; the subtrees below
 * the position stay there. The root's position may be taken by any PE; the subtrees of that PE are attached elsewhere
 * (reattach.ts). Of all possible successors, those that would forward the message soonest are tried, and the fastest
 * tree is kept: one of these, or the one in which the position is given up and its subtrees are attached elsewhere.
 *
 * Limits: positions are filled one after another from the root down; a successor is not moved again. A try costs O(n).
 *
 * Example: 0 has the children 1 and 4, 1 has 2, 3 and 5; 1 has left. 4 may succeed it: 0 has 4, and 4 has 2, 3, 5.
 */

import type { Judged } from "../model/child-order.ts";
import { edgeCost } from "../model/problem.ts";
import type { TreeProblem } from "../model/tree.ts";
import { least } from "../search/candidates.ts";
import { type Remains, reattach } from "./reattach.ts";

/** Number of successors tried for each position. */
const TRIED = 8;

/** The remains as a tree; never a slower one than {@link reattach} makes of them. */
export function reattachWithSuccessors(problem: TreeProblem, remains: Remains): Judged {
  let best = { remains, tree: reattach(problem, remains) };
  for (const place of placesLeft(problem, remains)) {
    const tries = soonest(problem, best.remains, place).map((successor) => {
      const next = replaced(best.remains, place, successor);
      return { remains: next, tree: reattach(problem, next) };
    });
    best = least([best, ...tries], ({ tree }) => tree.latency);
  }
  return best.tree;
}

/** Positions that were left and have children, from the root down. */
function placesLeft({ size }: TreeProblem, { root, children }: Remains): number[] {
  const walk = [root];
  for (const place of walk) walk.push(...(children[place] as readonly number[]));
  return walk.filter((place) => place >= size && children[place]?.length !== 0);
}

/** The members without children, or any for the root's position, that would forward the message soonest from there. */
function soonest(problem: TreeProblem, { root, children }: Remains, place: number): number[] {
  const { size, send, relay } = problem;
  const above = children.findIndex((list) => list.includes(place));
  const below = (children[place] as readonly number[]).filter((child) => child < size);
  const delay = (v: number): number => {
    let latest = above >= 0 && above < size ? edgeCost(problem, above, v) : 0;
    let clock = latest + (place === root ? 0 : (relay[v] as number));
    for (const child of below) {
      if (child === v) continue;
      latest = Math.max(latest, clock + edgeCost(problem, v, child));
      clock += send[v * size + child] as number;
    }
    return latest;
  };
  return problem.cores
    .flatMap((_, v) => (place === root || children[v]?.length === 0 ? { v, delay: delay(v) } : []))
    .sort((a, b) => a.delay - b.delay)
    .slice(0, TRIED)
    .map(({ v }) => v);
}

/** The remains in which a member has taken a position; its own subtrees must be attached elsewhere. */
function replaced({ root, children }: Remains, place: number, successor: number): Remains {
  const renamed = children.map((list) =>
    list.filter((child) => child !== successor).map((child) => (child === place ? successor : child)),
  );
  renamed[successor] = renamed[place] as number[];
  renamed[place] = [];
  return { root: root === place ? successor : root, children: renamed };
}

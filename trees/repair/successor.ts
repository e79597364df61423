/**
 * A broadcast tree that some have left, repaired with successors in their places.
 *
 * What: the place of one that has left may be taken by another that has no children, or that joins just now:
 * what was below the place stays below it. The root's place may be taken by anyone; what was below that one
 * is hung in elsewhere (reattach.ts). Of all that could follow, those that would pass the message on
 * soonest are tried, and the fastest of the trees is kept: one of these, or the one in which the place
 * is given up and what was below it is hung in elsewhere.
 *
 * Limits: one place after the other from the root down; who has taken one stays there. A try costs O(n).
 *
 * Example: 0 has the children 1 and 4, 1 has 2, 3 and 5; 1 is gone. 4 may follow it: 0 has 4, that has 2, 3, 5.
 */

import type { Judged } from "../model/child-order.ts";
import { edgeCost } from "../model/problem.ts";
import type { TreeProblem } from "../model/types.ts";
import { least } from "../search/candidates.ts";
import { type Remains, reattach } from "./reattach.ts";

/** So many are tried in each place. */
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

/** The places that have been left and have others below them, from the root down. */
function placesLeft({ size }: TreeProblem, { root, children }: Remains): number[] {
  const walk = [root];
  for (const place of walk) walk.push(...(children[place] as readonly number[]));
  return walk.filter((place) => place >= size && children[place]?.length !== 0);
}

/** Those without children, or any for the root's place, that would pass the message on from it soonest. */
function soonest(problem: TreeProblem, { root, children }: Remains, place: number): number[] {
  const { size, send } = problem;
  const above = children.findIndex((list) => list.includes(place));
  const below = (children[place] as readonly number[]).filter((child) => child < size);
  const delay = (v: number): number => {
    let clock = above >= 0 && above < size ? edgeCost(problem, above, v) : 0;
    let latest = clock;
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

/** The remains in which a member has taken a place; what was below the member is left to be hung in. */
function replaced({ root, children }: Remains, place: number, successor: number): Remains {
  const renamed = children.map((list) =>
    list.filter((child) => child !== successor).map((child) => (child === place ? successor : child)),
  );
  renamed[successor] = renamed[place] as number[];
  renamed[place] = [];
  return { root: root === place ? successor : root, children: renamed };
}

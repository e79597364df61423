/**
 * A proven lower bound of the broadcast latency over all trees of a group.
 *
 * What: the largest of three bounds.
 *
 * Paths: in any tree, lat(v) >= lat(parent) + send + propagate + receive of the edge, because the sum of sends before v
 * contains at least v's own. So lat(v) is at least the length of the path from the root to v, hence of the shortest
 * path in the whole graph, and lat(T) >= max_v dist(root, v). A member on the way, other than the root, adds its relay.
 * With a free root the least of these maxima over all roots holds.
 *
 * Counting: replace every send by the least send s, every edge by the least edge h = send + propagate + receive, and
 * every relay by the least one r. This makes no tree slower, and in the new machine a PE informed at t delivers at
 * t+r+h, t+r+h+s, t+r+h+2s, ... at best, the root without r. If every informed PE always sends to a new one
 * (postal.ts), no other broadcast has informed more PEs at any time (induction over deliveries). So the time at which
 * this greedy broadcast has reached n PEs is a bound.
 *
 * Levels: the same with a least cost for every kind of edge: in a domain, or between domains (bound-levels.ts).
 *
 * Limits: it uses the cheapest edge of each kind, not their number. On the 83 real machines with 8 PEs and more it is
 * 94 % of the best tree on average. O(n^3) for a free root. Source: Bar-Noy, Kipnis, "Designing broadcasting algorithms
 * in the postal model" (1992) for the counting argument.
 *
 * Example: send 2, receive 3 everywhere, 4 PEs: paths 5; counting: deliveries at 5, 7, 9, so 9.
 */

import { type Deadline, NEVER_OVER } from "../model/deadline.ts";
import { postalTime } from "../model/postal.ts";
import { edgeCost, edgeCosts, leastRelay } from "../model/problem.ts";
import { movesOf } from "../model/search-budget.ts";
import type { TreeProblem } from "../model/tree.ts";
import { levelsBound, MOST_STEPS } from "./bound-levels.ts";

/**
 * No broadcast tree of the problem, with its root if that is given, has a smaller latency. The counting bound is always
 * computed; the others only if they finish in time.
 */
export function lowerBound(problem: TreeProblem, deadline: Deadline = NEVER_OVER): number {
  // as much work as the search for trees may take
  const steps = Math.min(MOST_STEPS, STEPS_PER_MOVE * movesOf(problem));
  const known = Math.max(countingBound(problem), levelsBound(problem, steps, deadline.share(0.5)));
  return Math.max(known, pathBound(problem, deadline, known));
}

const STEPS_PER_MOVE = 500;

/** With more possible roots, shortest paths are not computed. */
const MOST_ROOTS = 512;

/** The bound by shortest paths; 0 if there was no time for it, or it cannot exceed a known one. */
export function pathBound(problem: TreeProblem, deadline: Deadline = NEVER_OVER, known = 0): number {
  const { size, relay } = problem;
  const roots = problem.root === undefined ? problem.cores.map((_, root) => root) : [problem.root];
  if (deadline.isOver() || roots.length > MOST_ROOTS) return 0;
  const cost = edgeCosts(problem);
  // no shortest path is longer than the direct edge
  const direct = (root: number): number => {
    let farthest = 0;
    for (let to = 0; to < size; to++) if (to !== root) farthest = Math.max(farthest, cost[root * size + to] as number);
    return farthest;
  };
  if (roots.some((root) => direct(root) <= known)) return 0;
  let least = Number.POSITIVE_INFINITY;
  for (const root of roots) {
    least = Math.min(least, eccentricity(cost, relay, root, least));
    // the minimum over some of the roots is not a bound
    if (deadline.isOver()) return 0;
  }
  return least;
}

/** Dijkstra on the full graph: the distance of the farthest member from `root`, or any value above `limit`. */
function eccentricity(cost: Float64Array, relay: Float64Array, root: number, limit: number): number {
  const size = relay.length;
  const distance = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  const open = Int32Array.from({ length: size }, (_, member) => member);
  let farthest = 0;
  let at = root;
  for (let left = size; ; ) {
    const from = open[at] as number;
    open[at] = open[--left] as number;
    let nearest = Number.POSITIVE_INFINITY;
    const sends = from === root ? 0 : farthest + (relay[from] as number);
    for (let i = 0; i < left; i++) {
      const to = open[i] as number;
      const through = sends + (cost[from * size + to] as number);
      if (through < (distance[to] as number)) distance[to] = through;
      if ((distance[to] as number) < nearest) {
        nearest = distance[to] as number;
        at = i;
      }
    }
    if (left === 0 || nearest >= limit) return left === 0 ? farthest : nearest;
    farthest = nearest;
  }
}

/** The bound by counting the PEs that can be informed in time. */
export function countingBound(problem: TreeProblem): number {
  const { size, send } = problem;
  let leastSend = Number.POSITIVE_INFINITY;
  let leastEdge = Number.POSITIVE_INFINITY;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      if (i === j) continue;
      leastSend = Math.min(leastSend, send[i * size + j] as number);
      leastEdge = Math.min(leastEdge, edgeCost(problem, i, j));
    }
  }
  return postalTime(size, leastSend, leastEdge, leastRelay(problem));
}

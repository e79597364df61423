/**
 * A proven lower bound of the broadcast latency over all trees of a group.
 *
 * What: the largest of three bounds.
 *
 * Paths: in any tree, lat(v) >= lat(parent) + send + propagate + receive of the edge, because the sum
 * of sends before v contains at least v's own. So lat(v) is at least the length of the path from the
 * root to v, hence of the shortest path in the whole graph, and lat(T) >= max_v dist(root, v). With
 * a free root the least of these maxima over all roots holds.
 *
 * Counting: replace every send by the least send s and every edge by the least edge h = send +
 * propagate + receive. No tree gets slower by that, and in the new machine the PE informed at t
 * delivers at t+h, t+h+s, t+h+2s, ... at best. When everybody always sends to somebody new (postal.ts),
 * nobody can have informed more PEs by any time (induction over deliveries), so the time at which that
 * greedy broadcast has n PEs is a bound.
 *
 * Levels: the same with a least cost for every kind of edge: in a domain, or between domains
 * (bound-levels.ts).
 *
 * Limits: knows the cheapest edges of each kind, not how many there are. On the 83 real machines with 8 PEs
 * and more it is 94 % of the best tree on average. O(n^3) for a free root.
 * Source: Bar-Noy, Kipnis, "Designing broadcasting algorithms in the postal model" (1992) for the
 * counting argument.
 *
 * Example: send 2, receive 3 everywhere, 4 PEs: paths 5; counting: deliveries at 5, 7, 9, so 9.
 */
import { levelsBound } from "./bound-levels.ts";
import { movesOf } from "./effort.ts";
import { postalTime } from "./postal.ts";
import { edgeCost } from "./problem.ts";
import type { TreeProblem } from "./types.ts";

/** No broadcast tree of the problem, with its root if one is forced, has a smaller latency. */
export function lowerBound(problem: TreeProblem): number {
  // as much work as the search for trees may take
  const steps = STEPS_PER_MOVE * movesOf(problem);
  return Math.max(pathBound(problem), countingBound(problem), levelsBound(problem, steps));
}

const STEPS_PER_MOVE = 500;

/** The bound by shortest paths. */
export function pathBound(problem: TreeProblem): number {
  const { size } = problem;
  const cost = new Float64Array(size * size);
  for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) cost[i * size + j] = edgeCost(problem, i, j);
  if (problem.root !== undefined) return eccentricity(cost, size, problem.root);
  let least = Number.POSITIVE_INFINITY;
  for (let root = 0; root < size; root++) least = Math.min(least, eccentricity(cost, size, root));
  return least;
}

/** Dijkstra's algorithm on the full graph: the distance of the farthest member from `root`. */
function eccentricity(cost: Float64Array, size: number, root: number): number {
  const distance = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  distance[root] = 0;
  const open = Array.from({ length: size }, (_, member) => member);
  let farthest = 0;
  while (open.length > 0) {
    let nearest = 0;
    for (let i = 1; i < open.length; i++)
      if ((distance[open[i] as number] as number) < (distance[open[nearest] as number] as number))
        nearest = i;
    const from = open[nearest] as number;
    open[nearest] = open[open.length - 1] as number;
    open.pop();
    farthest = distance[from] as number;
    for (const to of open) {
      const through = farthest + (cost[from * size + to] as number);
      if (through < (distance[to] as number)) distance[to] = through;
    }
  }
  return farthest;
}

/** The bound by counting how many can be informed in time. */
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
  return postalTime(size, leastSend, leastEdge);
}

/**
 * The default: the best trees by the model that Tundish can find.
 *
 * What: small groups are solved exactly (exact.ts). For others the best of many candidates (candidates.ts) is
 * annealed (anneal.ts). The reduce tree is sought as the broadcast tree of the mirrored problem
 * (problem.ts), by itself, for one tree cannot be best for both unless sending costs what receiving does; and just
 * as it would be sought on the mirrored machine, so that it is as fast as the broadcast tree there.
 * The pair for a barrier needs a common root: the broadcast tree's, or the reduce tree's.
 *
 * The search sees the PEs in an order of their own (canonical.ts), the published algorithms among its
 * candidates too. So its answer does not depend on their numbers, and is no worse than what those algorithms
 * build in that order; generate.ts sees to it that none is better by the numbers that the PEs have.
 *
 * Limits: beyond {@link EXACT_SIZE} PEs no proof that nothing better exists; bound.ts says how far off it is
 * at most. The same answer for the same seed, unless a budget of time is given.
 * Source: TREES.md part 2, section 10; Smelt (OSDI'16) for what it begins with.
 *
 * Example: send 2, receive 3 everywhere, 4 PEs: the star has 9, the binary tree (0: 1, 2; 1: 3) 10,
 * so the star is kept.
 */

import { bestOrder } from "../model/child-order.ts";
import { Deadline } from "../model/deadline.ts";
import {
  fromCanonicalOrder,
  inCanonicalOrder,
  mirror,
  reversed,
  toCanonicalOrder,
} from "../model/problem.ts";
import { movesOf } from "../model/search-budget.ts";
import type { Shape, TreeProblem } from "../model/types.ts";
import { anneal, type SearchBudget } from "./anneal.ts";
import { type Candidate, ecefTrees, least, type Pair, published, rootedTrees } from "./candidates.ts";
import { EXACT_SIZE, solveExactly } from "./exact.ts";
import { searchParts } from "./hierarchy.ts";
import { LARGE, searchLargeGroup, WHOLE } from "./large-search.ts";

/** The best trees of a group, and the best pair for a barrier: both trees have one root. */
export interface Found extends Pair {
  readonly barrier: Pair;
  /** That no tree is faster: the group was solved exactly. */
  readonly optimal: boolean;
}

/** Builds the best broadcast tree. */
export function adaptive(problem: TreeProblem): Shape {
  const found = [searchTrees(problem).broadcast, ...published(problem)];
  return least(found, ({ latency }) => latency).shape;
}

/** About what a step of the exact solution costs, in changes of an annealing. */
const EXACT_STEP = 0.005;

/** Whether a group is solved exactly: when that takes no longer than to search. */
function isSmall(size: number, moves: number): boolean {
  return size <= EXACT_SIZE && size * 3 ** (size - 1) * EXACT_STEP <= Math.max(moves, 1000);
}

/** What {@link searchTrees} may know. */
export interface SearchOptions {
  /** To solve the group exactly, however long that takes. @default only when it takes no longer than to search */
  readonly exactly?: boolean;
  /** Latency of a barrier that is known: pairs of trees that cannot be faster are not sought. @default none */
  readonly otherBarrier?: number;
  /** The same on the mirrored machine: what is sought here must be sought there. @default {@link otherBarrier} */
  readonly mirroredBarrier?: () => number;
  /** When to end. @default as the budget of the problem says */
  readonly deadline?: Deadline;
}

/** Finds the best trees for all three operations; the same ones however the PEs are numbered (canonical.ts). */
export function searchTrees(given: TreeProblem, options: SearchOptions = {}): Found {
  const { deadline = new Deadline(given.budget) } = options;
  if (given.size > WHOLE) return { optimal: false, ...bestOf(searchLarge(given, deadline)) };
  const moves = movesOf(given);
  // two are solved: a budget is for both
  const {
    exactly = isSmall(given.size, given.budget === undefined ? moves : moves / 2),
    otherBarrier = Number.POSITIVE_INFINITY,
  } = options;
  const { mirroredBarrier = () => otherBarrier } = options;
  const isBeaten = (latency: number): boolean => latency >= otherBarrier && latency >= mirroredBarrier();
  const pairs = exactly ? solved(given) : searched(given, { moves, deadline }, isBeaten);
  return { optimal: exactly, ...bestOf(pairs) };
}

function searchLarge(given: TreeProblem, deadline: Deadline): Pair[] {
  return given.size > LARGE
    ? searchParts(given, deadline, (contracted) => searchBroadcast(contracted).shape)
    : searchLargeGroup(given, deadline);
}

function bestOf(pairs: readonly Pair[]): Omit<Found, "optimal"> {
  return {
    broadcast: least(pairs, (pair) => pair.broadcast.latency).broadcast,
    reduce: least(pairs, (pair) => pair.reduce.latency).reduce,
    barrier: least(
      pairs.filter(({ broadcast, reduce }) => broadcast.shape.root === reduce.shape.root),
      (pair) => pair.reduce.latency + pair.broadcast.latency,
    ),
  };
}

/** Trees that are known, and for each of their roots the best for either operation. */
function pairsOf(there: TreeProblem, back: TreeProblem, known: readonly Candidate[]): Pair[] {
  const roots = [...new Set(known.map(({ shape }) => shape.root))];
  return roots.map((root) => {
    const rooted = known.filter(({ shape }) => shape.root === root);
    const best = (costs: TreeProblem): Candidate => least(judged(costs, rooted), ({ latency }) => latency);
    return { broadcast: best(there), reduce: best(back) };
  });
}

/** Trees of one operation, judged for another. */
function judged(costs: TreeProblem, known: readonly Candidate[]): Candidate[] {
  return known.map(({ from, shape }) => ({ from, ...bestOrder(costs, shape) }));
}

/** The published trees, built in canonical order; members as the problem numbers them. */
function publishedOf(problem: TreeProblem, deadline?: Deadline): Candidate[] {
  return published(inCanonicalOrder(problem), deadline).map(({ shape, ...rest }) => ({
    ...rest,
    shape: fromCanonicalOrder(problem, shape),
  }));
}

function solved(given: TreeProblem): Pair[] {
  const problem = inCanonicalOrder(given);
  const mirrored = mirror(problem);
  const [broadcasts, reduces] = [solveExactly(problem), solveExactly(mirrored)];
  const roots = problem.root === undefined ? problem.cores.map((_, v) => v) : [problem.root];
  const sum = (root: number): number =>
    (broadcasts.latency[root] as number) + (reduces.latency[root] as number);
  const best = [
    least(roots, (root) => broadcasts.latency[root] as number),
    least(roots, (root) => reduces.latency[root] as number),
    least(roots, sum),
  ];
  const found = (costs: TreeProblem, shape: Shape): Candidate => ({
    from: "exact",
    ...bestOrder(costs, fromCanonicalOrder(given, shape)),
  });
  const back = reversed(given);
  return [
    ...[...new Set(best)].map(
      (root): Pair => ({
        broadcast: found(given, broadcasts.shape(root)),
        reduce: found(back, reduces.shape(root)),
      }),
    ),
    // the same by other sums: rounding must not put an optimum above a baseline
    ...pairsOf(given, back, [...publishedOf(given), ...publishedOf(back)]),
  ];
}

/** Finds the best tree for a broadcast alone. */
export function searchBroadcast(given: TreeProblem): Candidate {
  const moves = movesOf(given);
  const deadline = new Deadline(given.budget);
  if (isSmall(given.size, moves)) {
    const { latency, shape } = solveExactly(inCanonicalOrder(given));
    const root =
      given.root === undefined ? latency.indexOf(Math.min(...latency)) : given.canonical.indexOf(given.root);
    return { from: "exact", ...bestOrder(given, fromCanonicalOrder(given, shape(root))) };
  }
  return search(given, publishedOf(given, deadline.share(0.2)), { moves, deadline });
}

/** How long to search, and when to end. */
interface SearchLimits extends SearchBudget {
  readonly deadline: Deadline;
}

function searched(
  there: TreeProblem,
  { moves, deadline }: SearchLimits,
  isBeaten: (latency: number) => boolean,
): Pair[] {
  const back = reversed(there);
  const down = publishedOf(there, deadline.share(0.1));
  const up = publishedOf(back, deadline.share(0.1));
  const pairs = pairsOf(there, back, [...down, ...up]);
  // a third for each operation, and for what a barrier needs beside
  const broadcast = search(there, [...down, ...judged(there, up)], {
    moves,
    deadline: deadline.share(1 / 3),
  });
  const reduce = search(back, [...up, ...judged(back, down)], { moves, deadline: deadline.share(1 / 2) });
  const free: Pair = { broadcast, reduce };
  if (isBeaten(broadcast.latency + reduce.latency)) return [...pairs, free];
  // each with the other's root: from there on it is not far
  const rooted = (
    costs: TreeProblem,
    { from, shape }: Candidate,
    root: number,
    until: Deadline,
  ): Candidate => {
    const start = { from, ...bestOrder(costs, withRoot(shape, root)) };
    return shape.root === root
      ? start
      : improve(costs, root, start, [start], { moves: moves / 2, deadline: until });
  };
  return [
    ...pairs,
    { broadcast, reduce: rooted(back, reduce, broadcast.shape.root, deadline.share(1 / 2)) },
    { broadcast: rooted(there, broadcast, reduce.shape.root, deadline), reduce },
    free,
  ];
}

/** Small enough that a search from every root that ECEF has tried is affordable; it is easily trapped there. */
const FEW = 128;

/** The best of the known trees and of ECEF's, a star, and what the search makes of them. */
function search(given: TreeProblem, known: readonly Candidate[], searchBudget: SearchLimits): Candidate {
  const problem = inCanonicalOrder(given);
  const ofOwn = (candidates: readonly Candidate[]): Candidate[] =>
    candidates.map(({ shape, ...rest }) => ({ ...rest, shape: fromCanonicalOrder(given, shape) }));
  const star = known.filter(({ from }) => from === "sequential").slice(0, 1);
  const smelt = known.filter(({ from }) => from === "smelt");
  const own = ofOwn(ecefTrees(problem, searchBudget.deadline.share(1 / 2)));
  const roots = [...new Set(own.map(({ shape }) => shape.root))];
  const ecefs =
    problem.size <= FEW ? roots.map((root) => own.filter(({ shape }) => shape.root === root)) : [own];
  const begin = [...ecefs, smelt, star].flatMap((family) =>
    family.length > 0 ? [least(family, ({ latency }) => latency)] : [],
  );
  const all = [...known, ...begin, ...ofOwn(rootedTrees(problem, searchBudget.deadline.share(1 / 8)))];
  const best = least(all, ({ latency }) => latency);
  // seldom, and where a machine is like no other, none of the families is as good as something else
  const isBegun = begin.some(({ latency }) => latency === best.latency);
  return improve(given, given.root, best, isBegun ? begin : [...begin, best], searchBudget);
}

/** In groups up to this, two searches of half the length find more than one: they are easily trapped. */
const TWICE = 64;
/** Far from the seeds of a search's own starts. */
const OTHER_SEED = 7919;

/** Searches from some trees, with a root if there is one; never worse than the one that is known. */
function improve(
  given: TreeProblem,
  root: number | undefined,
  known: Candidate,
  starts: readonly Candidate[],
  searchBudget: SearchBudget,
): Candidate {
  const problem = inCanonicalOrder({ ...given, root });
  const shapes = starts.map(({ shape }) => toCanonicalOrder(given, shape));
  const runs = problem.size <= TWICE && searchBudget.deadline?.isSet !== true ? 2 : 1;
  const part = { ...searchBudget, moves: searchBudget.moves / runs };
  const found = Array.from({ length: runs }, (_, run) =>
    anneal(problem, shapes, part, problem.seed + run * OTHER_SEED),
  );
  const better = least(found, ({ latency }) => latency);
  return better.latency < known.latency
    ? { from: "annealing", shape: fromCanonicalOrder(given, better.shape), latency: better.latency }
    : known;
}

/** The shape with another root: the two exchange their places. */
function withRoot(shape: Shape, root: number): Shape {
  if (shape.root === root) return shape;
  const renamed = (v: number): number => (v === root ? shape.root : v === shape.root ? root : v);
  return {
    root,
    children: shape.children.map((_, v) => (shape.children[renamed(v)] as readonly number[]).map(renamed)),
  };
}

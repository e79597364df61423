/**
 * The default algorithm: the best trees by the model that Tundish can find.
 *
 * Small groups are solved exactly (exact.ts). For others the best of many candidates (candidates.ts) is annealed
 * (anneal.ts). The reduce tree is searched as the broadcast tree of the mirrored problem (problem.ts), separately, as
 * one tree cannot be the best for both unless sending costs as much as receiving. It is searched exactly as on the
 * mirrored machine, so that it is as fast as the broadcast tree there. The pair for a barrier needs a common root: the
 * broadcast tree's, or the reduce tree's.
 *
 * The search uses the PEs in canonical order (canonical.ts), also for the published algorithms among its candidates. So
 * its result does not depend on their numbers, and is not worse than the trees of those algorithms in that order;
 * generate.ts ensures the same for the PEs' own numbers.
 *
 * Limits: beyond {@link EXACT_SIZE} PEs there is no proof of optimality; bound.ts gives the largest possible distance
 * from it. The result is the same for the same seed, unless a time budget is given.
 *
 * Source: Kaestle et al., "Machine-Aware Atomic Broadcast Trees for Multicores", for the initial trees.
 *
 * Example: send 2, receive 3 everywhere, 4 PEs: the star has 9, the binary tree (0: 1, 2; 1: 3) 10, so the star is
 * kept.
 */

import { bestOrder } from "../model/child-order.ts";
import { Deadline } from "../model/deadline.ts";
import { fromCanonicalOrder, inCanonicalOrder, mirror, reversed, toCanonicalOrder } from "../model/problem.ts";
import { movesOf } from "../model/search-budget.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";
import { anneal, type SearchBudget } from "./anneal.ts";
import { type Candidate, ecefTrees, least, type Pair, published, rootedTrees } from "./candidates.ts";
import { EXACT_SIZE, solveExactly } from "./exact.ts";
import { searchParts } from "./hierarchy.ts";
import { LARGE, searchLargeGroup, WHOLE } from "./large-search.ts";

/** The best trees of a group, and the best pair for a barrier: both trees have one root. */
export interface Found extends Pair {
  readonly barrier: Pair;
  /** Whether no tree is faster: the group was solved exactly. */
  readonly optimal: boolean;
}

/** Builds the best broadcast tree. */
export function adaptive(problem: TreeProblem): Shape {
  const found = [searchTrees(problem).broadcast, ...published(problem)];
  return least(found, ({ latency }) => latency).shape;
}

/** Approximate cost of a step of the exact solution, in changes of an annealing. */
const EXACT_STEP = 0.005;

/** Whether a group is solved exactly: if that takes no longer than the search. */
function isSmall(size: number, moves: number): boolean {
  return size <= EXACT_SIZE && size * 3 ** (size - 1) * EXACT_STEP <= Math.max(moves, 1000);
}

/** Options of {@link searchTrees}. */
export interface SearchOptions {
  /** Solves the group exactly, however long that takes. @default only if it takes no longer than the search */
  readonly exactly?: boolean;
  /** Latency of a known barrier: pairs of trees that cannot be faster are not searched. @default none */
  readonly otherBarrier?: number;
  /** The same on the mirrored machine, where the search must do the same. @default {@link otherBarrier} */
  readonly mirroredBarrier?: () => number;
  /** When to end. @default by the budget of the problem */
  readonly deadline?: Deadline;
}

/** Finds the best trees for all three operations, independent of the PEs' numbers (canonical.ts). */
export function searchTrees(given: TreeProblem, options: SearchOptions = {}): Found {
  const { deadline = new Deadline(given.budget) } = options;
  if (given.size > WHOLE) return { optimal: false, ...bestOf(searchLarge(given, deadline)) };
  const moves = movesOf(given);
  // two problems are solved: the budget is for both
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

/** Known trees, and for each of their roots the best tree for either operation. */
function pairsOf(there: TreeProblem, back: TreeProblem, known: readonly Candidate[]): Pair[] {
  const roots = [...new Set(known.map(({ shape }) => shape.root))];
  return roots.map((root) => {
    const rooted = known.filter(({ shape }) => shape.root === root);
    const best = (costs: TreeProblem): Candidate => least(judged(costs, rooted), ({ latency }) => latency);
    return { broadcast: best(there), reduce: best(back) };
  });
}

/** Trees of one operation, with their latencies for another. */
function judged(costs: TreeProblem, known: readonly Candidate[]): Candidate[] {
  return known.map(({ from, shape }) => ({ from, ...bestOrder(costs, shape) }));
}

/** The published trees, built in canonical order; members as numbered in the problem. */
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
  const sum = (root: number): number => (broadcasts.latency[root] as number) + (reduces.latency[root] as number);
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
    // summed in the same way: rounding must not put an optimum above a baseline
    ...pairsOf(given, back, [...publishedOf(given), ...publishedOf(back)]),
  ];
}

/** Finds the best tree for a broadcast only. */
export function searchBroadcast(given: TreeProblem): Candidate {
  const moves = movesOf(given);
  const deadline = new Deadline(given.budget);
  if (isSmall(given.size, moves)) {
    const { latency, shape } = solveExactly(inCanonicalOrder(given));
    const root = given.root === undefined ? latency.indexOf(Math.min(...latency)) : given.canonical.indexOf(given.root);
    return { from: "exact", ...bestOrder(given, fromCanonicalOrder(given, shape(root))) };
  }
  return search(given, publishedOf(given, deadline.share(0.2)), { moves, deadline });
}

/** The amount of work of the search, and its deadline. */
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
  // a third for each operation, and a third for the barrier
  const broadcast = search(there, [...down, ...judged(there, up)], {
    moves,
    deadline: deadline.share(1 / 3),
  });
  const reduce = search(back, [...up, ...judged(back, down)], { moves, deadline: deadline.share(1 / 2) });
  const free: Pair = { broadcast, reduce };
  if (isBeaten(broadcast.latency + reduce.latency)) return [...pairs, free];
  // each with the other's root: that is a small change
  const rooted = (costs: TreeProblem, { from, shape }: Candidate, root: number, until: Deadline): Candidate => {
    const start = { from, ...bestOrder(costs, withRoot(shape, root)) };
    return shape.root === root ? start : improve(costs, root, start, [start], { moves: moves / 2, deadline: until });
  };
  return [
    ...pairs,
    { broadcast, reduce: rooted(back, reduce, broadcast.shape.root, deadline.share(1 / 2)) },
    { broadcast: rooted(there, broadcast, reduce.shape.root, deadline), reduce },
    free,
  ];
}

/** Up to this size a search from every root tried by ECEF is affordable; small groups have many local optima. */
const FEW = 128;

/** The best of the known trees, ECEF's and a star, improved by the search. */
function search(given: TreeProblem, known: readonly Candidate[], searchBudget: SearchLimits): Candidate {
  const problem = inCanonicalOrder(given);
  const ofOwn = (candidates: readonly Candidate[]): Candidate[] =>
    candidates.map(({ shape, ...rest }) => ({ ...rest, shape: fromCanonicalOrder(given, shape) }));
  const star = known.filter(({ from }) => from === "sequential").slice(0, 1);
  const smelt = known.filter(({ from }) => from === "smelt");
  const own = ofOwn(ecefTrees(problem, searchBudget.deadline.share(1 / 2)));
  const roots = [...new Set(own.map(({ shape }) => shape.root))];
  const ecefs = problem.size <= FEW ? roots.map((root) => own.filter(({ shape }) => shape.root === root)) : [own];
  const begin = [...ecefs, smelt, star].flatMap((family) =>
    family.length > 0 ? [least(family, ({ latency }) => latency)] : [],
  );
  const all = [...known, ...begin, ...ofOwn(rootedTrees(problem, searchBudget.deadline.share(1 / 8)))];
  const best = least(all, ({ latency }) => latency);
  // on an unusual machine none of the families may be as good as another known tree
  const isBegun = begin.some(({ latency }) => latency === best.latency);
  return improve(given, given.root, best, isBegun ? begin : [...begin, best], searchBudget);
}

/** In groups up to this size, two searches of half the length find more than one, as there are many local optima. */
const TWICE = 64;
/** Different from the seeds of the search's own starts. */
const OTHER_SEED = 7919;

/** Searches from some trees, with the given root, if any; never worse than the known one. */
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

/** The shape with another root: the two exchange their positions. */
function withRoot(shape: Shape, root: number): Shape {
  if (shape.root === root) return shape;
  const renamed = (v: number): number => (v === root ? shape.root : v === shape.root ? root : v);
  return {
    root,
    children: shape.children.map((_, v) => (shape.children[renamed(v)] as readonly number[]).map(renamed)),
  };
}

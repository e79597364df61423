/**
 * The default: the best trees by the model that Tundish can find.
 *
 * What: small groups are solved exactly (exact.ts). For others the best of many candidates (candidates.ts) is
 * annealed (anneal.ts). The reduce tree is sought as the broadcast tree of the mirrored problem
 * (problem.ts), by itself, for one tree cannot be best for both unless sending costs what receiving does.
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
import { anneal, type Effort } from "./anneal.ts";
import { type Candidate, ecefTrees, least, type Pair, published, rootedTrees } from "./candidates.ts";
import { Deadline } from "./deadline.ts";
import { movesOf } from "./effort.ts";
import { EXACT_SIZE, solveExactly } from "./exact.ts";
import { searchParts, WHOLE } from "./hierarchy.ts";
import { bestOrder } from "./jackson.ts";
import { fromCanonicalOrder, inCanonicalOrder, mirror } from "./problem.ts";
import type { Shape, TreeProblem } from "./types.ts";

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
  /** When to end. @default as the budget of the problem says */
  readonly deadline?: Deadline;
}

/** Finds the best trees for all three operations; the same ones however the PEs are numbered (canonical.ts). */
export function searchTrees(given: TreeProblem, options: SearchOptions = {}): Found {
  const { deadline = new Deadline(given.budget) } = options;
  if (given.size > WHOLE)
    return {
      optimal: false,
      ...bestOf(searchParts(given, deadline, (contracted) => searchBroadcast(contracted).shape)),
    };
  const found = searchCanonical(inCanonicalOrder(given), options);
  const renumbered = ({ broadcast, reduce }: Pair): Pair => ({
    broadcast: { ...broadcast, shape: fromCanonicalOrder(given, broadcast.shape) },
    reduce: { ...reduce, shape: fromCanonicalOrder(given, reduce.shape) },
  });
  return { ...found, ...renumbered(found), barrier: renumbered(found.barrier) };
}

function searchCanonical(problem: TreeProblem, options: SearchOptions): Found {
  const moves = movesOf(problem);
  const { exactly = isSmall(problem.size, moves), otherBarrier = Number.POSITIVE_INFINITY } = options;
  const { deadline = new Deadline(problem.budget) } = options;
  const pairs = exactly ? solved(problem) : searched(problem, { moves, deadline }, otherBarrier);
  return { optimal: exactly, ...bestOf(pairs) };
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

/** All published trees by their roots: for each root the best for either operation. */
function baselinePairs(
  problem: TreeProblem,
  mirrored: TreeProblem,
  broadcasts: readonly Candidate[],
): Pair[] {
  const roots = [...new Set(broadcasts.map(({ shape }) => shape.root))];
  return roots.map((root) => {
    const rooted = broadcasts.filter(({ shape }) => shape.root === root);
    const judged = (costs: TreeProblem): Candidate =>
      least(
        rooted.map(({ from, shape }) => ({ from, ...bestOrder(costs, shape) })),
        ({ latency }) => latency,
      );
    return { broadcast: judged(problem), reduce: judged(mirrored) };
  });
}

function solved(problem: TreeProblem): Pair[] {
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
  return [
    ...[...new Set(best)].map((root): Pair => {
      const found = (costs: TreeProblem, shape: Shape): Candidate => ({
        from: "exact",
        ...bestOrder(costs, shape),
      });
      return {
        broadcast: found(problem, broadcasts.shape(root)),
        reduce: found(mirrored, reduces.shape(root)),
      };
    }),
    // the same by other sums: rounding must not put an optimum above a baseline
    ...baselinePairs(
      problem,
      mirrored,
      [problem, mirrored].flatMap((costs) => published(costs)),
    ),
  ];
}

/** Finds the best tree for a broadcast alone. */
export function searchBroadcast(given: TreeProblem): Candidate {
  const { shape, ...rest } = broadcastCanonical(inCanonicalOrder(given));
  return { ...rest, shape: fromCanonicalOrder(given, shape) };
}

function broadcastCanonical(problem: TreeProblem): Candidate {
  const moves = movesOf(problem);
  const deadline = new Deadline(problem.budget);
  if (isSmall(problem.size, moves)) {
    const { latency, shape } = solveExactly(problem);
    const root = problem.root ?? latency.indexOf(Math.min(...latency));
    return { from: "exact", ...bestOrder(problem, shape(root)) };
  }
  return search(problem, published(problem, deadline.share(0.2)), { moves, deadline });
}

/** How long to search, and when to end. */
interface Limits extends Effort {
  readonly deadline: Deadline;
}

function searched(problem: TreeProblem, { moves, deadline }: Limits, otherBarrier: number): Pair[] {
  const mirrored = mirror(problem);
  const known = {
    broadcast: published(problem, deadline.share(0.1)),
    reduce: published(mirrored, deadline.share(0.1)),
  };
  const pairs = baselinePairs(problem, mirrored, [...known.broadcast, ...known.reduce]);
  const find = (operation: "broadcast" | "reduce", costs: TreeProblem, until: Deadline): Candidate =>
    search(costs, [...known[operation], ...pairs.map((pair) => pair[operation])], { moves, deadline: until });
  // a third for each operation, and for what a barrier needs beside
  const broadcast = find("broadcast", problem, deadline.share(1 / 3));
  const reduce = find("reduce", mirrored, deadline.share(1 / 2));
  const free: Pair = { broadcast, reduce };
  if (broadcast.latency + reduce.latency >= otherBarrier) return [...pairs, free];
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
      : improve({ ...costs, root }, start, [start], { moves: moves / 2, deadline: until });
  };
  return [
    ...pairs,
    { broadcast, reduce: rooted(mirrored, reduce, broadcast.shape.root, deadline.share(1 / 2)) },
    { broadcast: rooted(problem, broadcast, reduce.shape.root, deadline), reduce },
    free,
  ];
}

/** Small enough that a search from every root that ECEF has tried is affordable; it is easily trapped there. */
const FEW = 32;

/** The best of the known trees and of ECEF's, a star, and what the search makes of them. */
function search(problem: TreeProblem, known: readonly Candidate[], effort: Limits): Candidate {
  const star = known.filter(({ from }) => from === "sequential").slice(0, 1);
  const smelt = known.filter(({ from }) => from === "smelt");
  const own = ecefTrees(problem, effort.deadline.share(1 / 2));
  const roots = [...new Set(own.map(({ shape }) => shape.root))];
  const ecefs =
    problem.size <= FEW ? roots.map((root) => own.filter(({ shape }) => shape.root === root)) : [own];
  const begin = [...ecefs, smelt, star].flatMap((family) =>
    family.length > 0 ? [least(family, ({ latency }) => latency)] : [],
  );
  const all = [...known, ...begin, ...rootedTrees(problem, effort.deadline.share(1 / 8))];
  const best = least(all, ({ latency }) => latency);
  // seldom, and where a machine is like no other, none of the families is as good as something else
  const isBegun = begin.some(({ latency }) => latency === best.latency);
  return improve(problem, best, isBegun ? begin : [...begin, best], effort);
}

/** Searches from some trees; never worse than the one that is known. */
function improve(
  problem: TreeProblem,
  known: Candidate,
  starts: readonly Candidate[],
  effort: Effort,
): Candidate {
  const better = anneal(
    problem,
    starts.map(({ shape }) => shape),
    effort,
    problem.seed,
  );
  return better.latency < known.latency ? { from: "annealing", ...better } : known;
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

/**
 * Trees of groups that are too large for the full search, and small enough to be annealed as a whole.
 *
 * ECEF's trees from some roots are annealed briefly; only then is it clear which root is the best. The reduction is
 * searched in the same way on the mirrored problem, with the same root, so the two form a barrier.
 *
 * Limits: some per cent above the result of a longer search. O(n^2), and the work for each change grows with the
 * logarithm of n, so larger groups get fewer changes.
 *
 * Example: 512 PEs: 2 x 400 000 changes.
 */

import { ecef, type LookAhead, lookAhead } from "../build/ecef.ts";
import { smeltRoot } from "../build/smelt.ts";
import { bestOrder } from "../model/child-order.ts";
import type { Deadline } from "../model/deadline.ts";
import { fromCanonicalOrder, inCanonicalOrder, reversed } from "../model/problem.ts";
import type { TreeProblem } from "../model/tree.ts";
import { anneal } from "./anneal.ts";
import { type Candidate, least, type Pair } from "./candidates.ts";
import { plainPair } from "./hierarchy.ts";

/** Groups up to this size get the full search; those beyond {@link LARGE} are searched part by part. */
export const WHOLE = 256;
export const LARGE = 1024;
/** Changes times members, and the first stage of the annealing. */
const WORK = 512 * 400_000;
const FIRST = 6;
/** Number of roots that ECEF is tried from besides Smelt's. */
const ROOTS = 8;

/** Trees of such a group, all with both operations from one root. */
export function searchLargeGroup(problem: TreeProblem, deadline: Deadline): Pair[] {
  const pairs = [plainPair(problem)];
  const there = inCanonicalOrder(problem);
  const broadcast = annealed(problem, starts(there, deadline.share(1 / 6)), deadline.share(1 / 2));
  if (broadcast === undefined) return pairs;
  const back = reversed({ ...problem, root: broadcast.shape.root });
  const reduce = annealed(back, starts(inCanonicalOrder(back), deadline.share(1 / 6)), deadline);
  if (reduce !== undefined) pairs.push({ broadcast, reduce });
  return pairs;
}

/** The best tree over all levels from one root, and trees over its level from some others. */
function starts(problem: TreeProblem, deadline: Deadline): Candidate[] {
  const { size } = problem;
  const first = problem.root ?? smeltRoot(problem);
  const tree = (root: number, level: LookAhead): Candidate => ({
    from: "ecef",
    ...bestOrder(problem, ecef(problem, root, level)),
  });
  const found: { level: LookAhead; tree: Candidate }[] = [];
  for (const domain of [new Int32Array(size), ...problem.domains]) {
    if (deadline.isOver()) break;
    const level = lookAhead(problem, domain);
    found.push({ level, tree: tree(first, level) });
  }
  if (found.length === 0) return [];
  const best = least(found, (one) => one.tree.latency);
  const all = [best.tree];
  for (let i = 0; i < ROOTS && problem.root === undefined && !deadline.isOver(); i++) {
    all.push(tree(Math.floor(((i + 0.5) * size) / ROOTS), best.level));
  }
  return all;
}

/** Converts a tree over members in canonical order to their numbers in the group. */
function ofGroup(problem: TreeProblem, { shape, ...rest }: Candidate): Candidate {
  return { ...rest, shape: fromCanonicalOrder(problem, shape) };
}

/** The best of ECEF's trees, annealed. */
function annealed(given: TreeProblem, known: readonly Candidate[], deadline: Deadline): Candidate | undefined {
  if (known.length === 0) return undefined;
  const best = least(known, ({ latency }) => latency);
  const most = WORK / given.size;
  const searchBudget = { moves: Math.min(most, given.moves ?? most), deadline, first: FIRST };
  const shapes = known.map(({ shape }) => shape);
  const better = anneal(inCanonicalOrder(given), shapes, searchBudget, given.seed);
  return ofGroup(given, better.latency < best.latency ? { from: "annealing", ...better } : best);
}

/**
 * Initial trees: those of the published algorithms, and of ECEF from several roots over every level of domains, each
 * with its children in the best order.
 *
 * Limits: one of them is seldom more than 20 % above the best tree, and seldom less than 5 %.
 */
import { baselines, builders } from "../build/builders.ts";
import { ecef, type LookAhead, lookAhead } from "../build/ecef.ts";
import { smeltRoot } from "../build/smelt.ts";
import { bestOrder, type Judged } from "../model/child-order.ts";
import { type Deadline, NEVER_OVER } from "../model/deadline.ts";
import type { Baseline, Finder, TreeProblem } from "../model/tree.ts";

/** A tree, its latency in its operation, and the algorithm that found it. */
export interface Candidate extends Judged {
  readonly from: Finder;
}

/** The best tree for each operation. */
export interface Pair {
  readonly broadcast: Candidate;
  readonly reduce: Candidate;
}

/** Number of roots that ECEF is tried from; fewer in large groups. */
const ROOTS = 6;
const WORK = 2 ** 20;

/** The published trees of a problem, as broadcast trees; if time is short the cheapest first, at least one. */
export function published(problem: TreeProblem, deadline: Deadline = NEVER_OVER): Candidate[] {
  const names = deadline.isSet ? CHEAPEST_FIRST : baselines;
  const found: Candidate[] = [];
  for (const from of names) {
    if (found.length > 0 && deadline.isOver()) break;
    found.push({ from, ...bestOrder(problem, builders[from](problem)) });
  }
  return found;
}

const CHEAPEST_FIRST: readonly Baseline[] = ["binary", "fibonacci", "sequential", "cluster", "mst", "smelt", "bad"];

/**
 * The star and the spanning tree from every root: the published ones use the lowest PE, but the result must not depend
 * on the numbers. None for large groups, where neither is good, or if there is no time.
 */
export function rootedTrees(problem: TreeProblem, deadline: Deadline): Candidate[] {
  const found: Candidate[] = [];
  if (problem.root !== undefined || problem.size > FEW_ENOUGH) return found;
  for (let root = 0; root < problem.size && !deadline.isOver(); root++) {
    for (const from of ["sequential", "mst"] as const) {
      found.push({ from, ...bestOrder(problem, builders[from]({ ...problem, root })) });
    }
  }
  return found;
}

const FEW_ENOUGH = 64;

/** ECEF trees over every level, and without one; none if there is no time. */
export function ecefTrees(problem: TreeProblem, deadline: Deadline = NEVER_OVER): Candidate[] {
  const found: Candidate[] = [];
  const levels = [new Int32Array(problem.size), ...problem.domains];
  const looks: LookAhead[] = [];
  for (const root of rootsToTry(problem)) {
    for (const [level, domain] of levels.entries()) {
      if (deadline.isOver()) return found;
      looks[level] ??= lookAhead(problem, domain);
      const look = looks[level] as LookAhead;
      found.push({ from: "ecef", ...bestOrder(problem, ecef(problem, root, look)) });
    }
  }
  return found;
}

/** Smelt's root and some spread evenly over the group, or the given root. */
function rootsToTry(problem: TreeProblem): number[] {
  if (problem.root !== undefined) return [problem.root];
  const { size } = problem;
  const count = Math.max(1, Math.min(size, ROOTS, Math.floor(WORK / size ** 2)));
  const spread = Array.from({ length: count }, (_, i) => Math.floor((i * size) / count));
  return [...new Set([smeltRoot(problem), ...spread])];
}

/** The first item with the least value. */
export function least<T>(items: readonly T[], value: (item: T) => number): T {
  return items.reduce((best, item) => (value(item) < value(best) ? item : best));
}

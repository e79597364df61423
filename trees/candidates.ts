/**
 * Trees to begin with: what the published algorithms build, and ECEF from several roots over every level of
 * domains, each with its children in the best order.
 *
 * Limits: one of them is seldom more than 20 % above the best tree, and seldom less than 5 %.
 */
import { baselines, builders } from "./builders.ts";
import { ecef } from "./ecef.ts";
import { bestOrder, type Judged } from "./jackson.ts";
import { smeltRoot } from "./smelt.ts";
import type { Finder, TreeProblem } from "./types.ts";

/** A tree, its latency in the operation it is for, and who found it. */
export interface Candidate extends Judged {
  readonly from: Finder;
}

/** ECEF is tried from so many roots, fewer on large groups. */
const ROOTS = 6;
const WORK = 2 ** 20;

/** The published trees of a problem, as broadcast trees of it. */
export function published(problem: TreeProblem): Candidate[] {
  return baselines.map((from) => ({ from, ...bestOrder(problem, builders[from](problem)) }));
}

/** ECEF trees over every level, and over none. */
export function ecefTrees(problem: TreeProblem): Candidate[] {
  const flat = new Int32Array(problem.size);
  return rootsToTry(problem).flatMap((root) =>
    [flat, ...problem.domains].map(
      (domain): Candidate => ({ from: "ecef", ...bestOrder(problem, ecef(problem, root, domain)) }),
    ),
  );
}

/** Smelt's root and some spread evenly over the group, or the one that is forced. */
function rootsToTry(problem: TreeProblem): number[] {
  if (problem.root !== undefined) return [problem.root];
  const { size } = problem;
  const count = Math.max(1, Math.min(size, ROOTS, Math.floor(WORK / size ** 2)));
  const spread = Array.from({ length: count }, (_, i) => Math.floor((i * size) / count));
  return [...new Set([smeltRoot(problem), ...spread])];
}

/** The first with the least value. */
export function least<T>(items: readonly T[], value: (item: T) => number): T {
  return items.reduce((best, item) => (value(item) < value(best) ? item : best));
}

/**
 * The roots worth trying when none is given.
 *
 * What: first the roots that the published algorithms take by themselves (so that nothing found is
 * worse than they are), then members spread evenly over the group, as many as time allows: all up
 * to 128 PEs, 32 of 256, 8 of 512. The number depends on nothing but the size, so that the answer is
 * the same everywhere.
 * Limits: spread by number; the best root may lie between two of them.
 * Why spread: the members with the lowest costs are neighbours and give much the same tree; on a
 * 512-thread EPYC the eight cheapest gave 721 ns, eight spread ones 502 ns.
 *
 * Example: 4 PEs give 3 (say) by Smelt's rule, then 0, 1, 2.
 */
import { mirror } from "./problem.ts";
import { smeltRoot } from "./smelt.ts";
import type { TreeProblem } from "./types.ts";

const WORK = 2 ** 21;

/** The roots that must be tried, and those to try while time lasts. */
export function rootsToTry(problem: TreeProblem): { first: number[]; more: number[] } {
  if (problem.root !== undefined) return { first: [problem.root], more: [] };
  const { size } = problem;
  const first = new Set([smeltRoot(problem), smeltRoot(mirror(problem)), problem.order[0] as number, 0]);
  const count = Math.min(size, Math.max(1, Math.floor(WORK / size ** 2)));
  const spread = Array.from({ length: count }, (_, i) => Math.floor((i * size) / count));
  return { first: [...first], more: spread.filter((root) => !first.has(root)) };
}

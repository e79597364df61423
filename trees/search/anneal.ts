/**
 * Simulated annealing of a broadcast tree.
 *
 * What: small changes at random, kept when they make the smooth latency of soft-tree.ts less and sometimes
 * when they do not. Stage by stage the sharpness grows, so that in the end only the last member's time
 * counts, and a change for the worse is kept ever more rarely: with the chance (before / after)^strictness,
 * of the sums of exponentials. Changes:
 *
 * - a member goes, with all below it, to another parent: of some drawn at random, the one that could have
 *   the message there first;
 * - two members exchange their places;
 * - two members exchange their places with all below them.
 *
 * The member to be moved is late or on the way to a late one, four times out of five: only that can help.
 *
 * From several starts each is pursued for some stages, and of those that are left the worst is given up
 * after each: which way a tree will go is seen early.
 *
 * Limits: a heuristic. The numbers above were chosen on 17 machines of 16 to 256 PEs, where 200 000 changes
 * (0.15 s) end 0.9 % above the best tree known on average, 1 500 000 end 0.4 % above it.
 * Source: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing" (1983).
 */

import { bestOrder, type Judged } from "../model/child-order.ts";
import { type Deadline, NEVER_OVER } from "../model/deadline.ts";
import type { Shape, TreeProblem } from "../model/types.ts";
import { SoftTrees } from "./soft-tree.ts";

/** Sharpness times latency in the first and in the last stage. */
const SHARPNESS = [15, 600] as const;
const STRICTNESS = [4, 64] as const;
const STAGES = 16;
/** The stage to begin with: good starts are not to be forgotten, and the time is better spent later. */
const COLD = 3;
/** The stage from which on only one of the starts is pursued. */
const CHOSEN = 8;
/** Changes between two looks at the clock. */
const GLANCE = 1024;

/** How long to search. */
export interface SearchBudget {
  /** Changes that are tried. */
  readonly moves: number;
  /** Instead of counting changes: when to end. @default never */
  readonly deadline?: Deadline;
  /** The stage to begin with, 0 to 15: the later, the nearer to the start it stays. @default 3 */
  readonly first?: number;
}

/** The value in a stage, growing by the same factor each time. */
const inStage = ([first, last]: readonly [number, number], stage: number): number =>
  first * (last / first) ** (stage / (STAGES - 1));

/** The best tree found from some others; never a slower one than the best of them. */
export function anneal(
  problem: TreeProblem,
  starts: readonly Shape[],
  searchBudget: SearchBudget,
  seed: number,
): Judged {
  let best = starts
    .map((start) => bestOrder(problem, start))
    .reduce((a, b) => (b.latency < a.latency ? b : a));
  if (problem.size < 3 || best.latency === 0) return best;
  const { first = COLD, moves, deadline = NEVER_OVER } = searchBudget;
  if (deadline.isOver()) return best;
  const soft = new SoftTrees(problem, starts, seed);
  let searches = [...soft.trees];
  const all = deadline.left();
  const stages = STAGES - first;
  for (let stage = first; stage < STAGES; stage++) {
    soft.sharpen(inStage(SHARPNESS, stage) / best.latency, inStage(STRICTNESS, stage));
    for (const [i, search] of searches.entries()) {
      // of a stage that comes too late nothing is done
      const rest = all * (1 - (stage - first + (i + 1) / searches.length) / stages);
      if (deadline.isSet && deadline.left() <= rest) continue;
      search.sharpen();
      if (!deadline.isSet) search.move(Math.ceil(moves / stages / searches.length));
      else while (deadline.left() > rest) search.move(GLANCE);
      const now = bestOrder(problem, search.shape());
      if (now.latency < best.latency) best = now;
    }
    searches = searches
      .sort((a, b) => a.sum() - b.sum())
      .slice(0, Math.max(1, Math.ceil(starts.length * (1 - (stage + 1) / CHOSEN))));
  }
  return best;
}

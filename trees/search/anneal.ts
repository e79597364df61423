/**
 * Simulated annealing of a broadcast tree.
 *
 * Small random changes are kept if they decrease the smooth latency of soft-tree.ts, and sometimes if they do not. The
 * sharpness grows from stage to stage, so that in the end only the last member's time counts, and a change for the
 * worse is kept ever more rarely: with the probability (before / after)^strictness, of the sums of exponentials.
 * Changes:
 *
 * - a member moves, with all below it, to another parent: of some random ones, the one that could deliver the message
 *   first;
 * - two members exchange their positions;
 * - two members exchange their positions with all below them.
 *
 * In four of five cases the moved member is a late one or on the path to one: only that can help.
 *
 * From several starts each is pursued for some stages; then the worst of the remaining ones is dropped after each
 * stage, as the quality of a start shows early.
 *
 * Limits: a heuristic. The parameters were chosen on 17 machines of 16 to 256 PEs, where 200 000 changes (0.15 s) end
 * 0.9 % above the best known tree on average, and 1 500 000 end 0.4 % above it.
 *
 * Source: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing" (1983).
 */

import { bestOrder, type Judged } from "../model/child-order.ts";
import { type Deadline, NEVER_OVER } from "../model/deadline.ts";
import type { Shape, TreeProblem } from "../model/tree.ts";
import { SoftTrees } from "./soft-tree.ts";

/** Sharpness times latency in the first and in the last stage. */
const SHARPNESS = [15, 600] as const;
const STRICTNESS = [4, 64] as const;
const STAGES = 16;
/** The first stage: earlier ones would destroy a good start, and the time is better spent later. */
const COLD = 3;
/** The stage from which on only one of the starts is pursued. */
const CHOSEN = 8;
/** Changes between two reads of the clock. */
const GLANCE = 1024;

/** The amount of work of a search. */
export interface SearchBudget {
  /** Number of changes tried. */
  readonly moves: number;
  /** Deadline, instead of counting changes. @default never */
  readonly deadline?: Deadline;
  /** The first stage, 0 to 15: the later, the more similar the result is to the start. @default 3 */
  readonly first?: number;
}

/** The value in a stage; it grows by the same factor each time. */
const inStage = ([first, last]: readonly [number, number], stage: number): number =>
  first * (last / first) ** (stage / (STAGES - 1));

/** The best tree found from some starts; never slower than the best of them. */
export function anneal(
  problem: TreeProblem,
  starts: readonly Shape[],
  searchBudget: SearchBudget,
  seed: number,
): Judged {
  let best = starts.map((start) => bestOrder(problem, start)).reduce((a, b) => (b.latency < a.latency ? b : a));
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
      // a stage after the deadline does nothing
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

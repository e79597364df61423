/**
 * The default: the best tree by the model that Tundish can find.
 *
 * What: every published algorithm is run from every root worth trying (`roots.ts`), on the problem
 * and on its mirror image, and every tree so built is judged for both operations. The best for
 * broadcast, the best for reduction and the best pair with a common root are kept. So the answer is
 * never worse than Smelt's adaptive tree or any other baseline.
 *
 * Limits: nothing is searched beyond these candidates yet: no exact solution of small groups, no
 * annealing, which are known to save another 10 to 40 % on large machines. `budget` ends the trial of
 * roots early, `seed` has no effect as no random number is drawn.
 * Source: Smelt (OSDI'16) for the candidates; the mirror image in `problem.ts`.
 *
 * Example: send 2, receive 3 everywhere, 4 PEs: the star has 9, the binary tree (0: 1, 2; 1: 3) 10,
 * so the star is kept.
 */
import { baselines, builders } from "./builders.ts";
import { broadcastLatency, reduceLatency } from "./latency.ts";
import { mirror } from "./problem.ts";
import { rootsToTry } from "./roots.ts";
import type { Baseline, Shape, TreeProblem } from "./types.ts";

/** The bad tree wins on strange machines at most, so it is tried from the first roots only. */
const good = baselines.filter((name) => name !== "bad");

/** A tree, the algorithm that built it, and its latency in the operation it was chosen for. */
export interface Candidate {
  readonly from: Baseline;
  readonly shape: Shape;
  readonly latency: number;
}

/** The best tree for each operation. */
export interface Pair {
  readonly broadcast: Candidate;
  readonly reduce: Candidate;
}

/** The best trees of a group, and the best pair for a barrier: both trees have one root. */
export interface Found extends Pair {
  readonly barrier: Pair;
}

/** Builds the best broadcast tree. */
export function adaptive(problem: TreeProblem): Shape {
  return searchTrees(problem).broadcast.shape;
}

/** Finds the best trees for all three operations. */
export function searchTrees(problem: TreeProblem): Found {
  const mirrored = mirror(problem);
  const { first, more } = rootsToTry(problem);
  const deadline = performance.now() + (problem.budget ?? Number.POSITIVE_INFINITY);
  const pairs = first.map((root) => bestFrom(problem, mirrored, root, baselines));
  for (const root of more) {
    if (performance.now() > deadline) break;
    pairs.push(bestFrom(problem, mirrored, root, good));
  }
  return {
    broadcast: least(pairs, (pair) => pair.broadcast.latency).broadcast,
    reduce: least(pairs, (pair) => pair.reduce.latency).reduce,
    barrier: least(pairs, (pair) => pair.reduce.latency + pair.broadcast.latency),
  };
}

function bestFrom(
  problem: TreeProblem,
  mirrored: TreeProblem,
  root: number,
  names: readonly Baseline[],
): Pair {
  const built = [problem, mirrored].flatMap((costs) =>
    names.map((from) => ({ from, shape: builders[from]({ ...costs, root }) })),
  );
  const judged = (latency: (problem: TreeProblem, shape: Shape) => number): Candidate =>
    least(
      built.map(({ from, shape }) => ({ from, shape, latency: latency(problem, shape) })),
      (candidate) => candidate.latency,
    );
  return { broadcast: judged(broadcastLatency), reduce: judged(reduceLatency) };
}

/** The first item with the least value. */
function least<T>(items: readonly T[], value: (item: T) => number): T {
  return items.reduce((best, item) => (value(item) < value(best) ? item : best));
}

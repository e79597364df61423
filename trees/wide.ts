/**
 * Trees of groups that are too large to be searched with all care, and small enough to be annealed as a whole.
 *
 * What: the best of ECEF's trees is annealed a little, and no other start beside it; the reduction likewise on the
 * mirrored problem, with the same root, so the two make a barrier.
 *
 * Limits: some per cent above what a longer search finds. O(n^2), and the work for each change grows with the
 * logarithm of n, so there are fewer of them in larger groups.
 * Source: TREES.md part 2, section 4.
 *
 * Example: 512 PEs: 2 x 250 000 changes.
 */
import { anneal } from "./anneal.ts";
import { type Candidate, ecefTrees, least, type Pair } from "./candidates.ts";
import type { Deadline } from "./deadline.ts";
import { plainPair } from "./hierarchy.ts";
import { fromCanonicalOrder, inCanonicalOrder, reversed, toCanonicalOrder } from "./problem.ts";
import type { TreeProblem } from "./types.ts";

/** Groups up to this are searched with more care, and those beyond {@link WIDE} part by part. */
export const WHOLE = 256;
export const WIDE = 1024;
/** Changes times members, and the stage of the annealing to begin with. */
const WORK = 512 * 250_000;
const FIRST = 6;

/** Trees of such a group, all with both operations from one root. */
export function searchWide(problem: TreeProblem, deadline: Deadline): Pair[] {
  const pairs = [plainPair(problem)];
  const there = inCanonicalOrder(problem);
  const down = ecefTrees(there, deadline.share(1 / 6));
  if (down.length === 0) return pairs;
  const broadcast = ofGroup(
    problem,
    least(down, ({ latency }) => latency),
  );
  const back = reversed({ ...problem, root: broadcast.shape.root });
  const up = ecefTrees(inCanonicalOrder(back), deadline.share(1 / 6));
  if (up.length === 0) return pairs;
  const reduce = ofGroup(
    back,
    least(up, ({ latency }) => latency),
  );
  pairs.push({ broadcast, reduce });
  const rooted = { ...problem, root: broadcast.shape.root };
  pairs.push({
    broadcast: annealed(rooted, broadcast, deadline.share(1 / 2)),
    reduce: annealed(back, reduce, deadline),
  });
  return pairs;
}

/** A tree over members in canonical order, as the group numbers them. */
function ofGroup(problem: TreeProblem, { shape, ...rest }: Candidate): Candidate {
  return { ...rest, shape: fromCanonicalOrder(problem, shape) };
}

function annealed(given: TreeProblem, known: Candidate, deadline: Deadline): Candidate {
  const most = WORK / given.size;
  const effort = { moves: Math.min(most, given.moves ?? most), deadline, first: FIRST };
  const start = toCanonicalOrder(given, known.shape);
  const { shape, latency } = anneal(inCanonicalOrder(given), [start], effort, given.seed);
  return latency < known.latency ? ofGroup(given, { from: "annealing", shape, latency }) : known;
}

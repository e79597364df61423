/**
 * A tree mended after PEs have left or joined, in milliseconds and without a new search.
 *
 * What: where a PE with children has left, a successor takes its place (successor.ts), or what was below it is
 * hung in where the message can be first, and so are PEs that join (mend.ts). Some thousand changes of an
 * annealing (anneal.ts) then look for something better. The root stays what it is; when it leaves, the best
 * that is found takes its place. A reduce tree is mended as the broadcast tree of the mirrored problem
 * (problem.ts). Groups so small that the optimum costs no more than that are solved exactly (exact.ts).
 *
 * Limits: where much has changed a new search (generateTrees) is worth its time. After one PE of 95 real
 * machines had left or joined, the tree was 0.6 % above a new one on average and 2.2 % in the worst tenth; the
 * root being gone, 1.3 % and 5 %, and 17 % at worst. That took 4 ms for up to 32 PEs, 33 ms for 65 to 128, 100 ms
 * for more, and up to three times that with the root gone: a tenth of a search. No annealing beyond
 * {@link MOST_ANNEALED} PEs.
 * Source: TREES.md part 2, section 10.
 *
 * Example: mend.ts; the star that comes out of it, 0: 2, 3, takes 7, and with three PEs nothing is faster.
 */
import type { MachineModel } from "../src/machine/types.ts";
import { searchTrees } from "./adaptive.ts";
import { anneal } from "./anneal.ts";
import { lowerBound } from "./bound.ts";
import { checkRepair, type RepairOptions, type TreeChange } from "./change.ts";
import { EXACT_SIZE, exact } from "./exact.ts";
import { bestOrder } from "./jackson.ts";
import { latencyOf } from "./latency.ts";
import type { Remains } from "./mend.ts";
import { mirror, treeProblem } from "./problem.ts";
import { treeOf } from "./shape.ts";
import { mendWithSuccessors } from "./successor.ts";
import type { Shape, Tree, TreeProblem } from "./types.ts";

/** Groups up to this size are solved exactly. */
const SMALL = Math.min(9, EXACT_SIZE);
/** Larger groups are only mended: the working copy of the annealing takes memory by the square. */
const MOST_ANNEALED = 512;

/** A mended tree and what is known of its quality. */
export interface RepairedTree {
  /** The tree of the new group: the algorithm of the old one, `from` "repair" ("exact" for few PEs). */
  readonly tree: Tree;
  /**
   * What the tree is compared with: no tree with its root, or with any when the root has left, takes less
   * time (`against: "bound"`), or the time of the tree that a full search finds (`against: "search"`).
   */
  readonly best: number;
  /**
   * How much slower than {@link best} it is: 0.02 for 2 %. Against the bound that is the most that mending can
   * have lost: on 95 real machines 9 % on average, where a search was 0.6 % better. Infinity where the bound
   * is 0 and the tree is not. Against a search it may be negative.
   */
  readonly loss: number;
  /** How long all that took, in ms. */
  readonly took: number;
}

/**
 * Mends a tree after PEs have left it, or joined, or both, in some milliseconds, and says how good it is.
 *
 * @throws UsageError when `tree` is no tree over PEs of the model, when a PE that leaves is not in it, one
 * that joins is, or is not in the model, when nobody is left, or when an option is wrong
 * @throws ModelError when the model is none
 */
export function repairTree(
  tree: Tree,
  machine: MachineModel,
  change: TreeChange,
  options: RepairOptions = {},
): RepairedTree {
  const began = performance.now();
  const { cores, root, moves, seed, operation, against } = checkRepair(tree, machine, change, options);
  const group = treeProblem(machine, cores, { root, moves, seed });
  const problem = operation === "broadcast" ? group : mirror(group);
  const shape = mendedShape(problem, tree, moves);
  const latency = latencyOf(group, shape, operation);
  const from = group.size <= SMALL ? "exact" : "repair";
  const best = yardstick(problem, latency, against);
  return {
    tree: treeOf(group, shape, tree.algorithm, latency, from),
    best,
    loss: latency === best ? 0 : latency / best - 1,
    took: performance.now() - began,
  };
}

function mendedShape(problem: TreeProblem, tree: Tree, moves: number): Shape {
  if (problem.size <= SMALL) return bestOrder(problem, exact(problem)).shape;
  const mended = mendWithSuccessors(problem, remainsOf(problem, tree));
  return problem.size > MOST_ANNEALED
    ? mended.shape
    : anneal(problem, [mended.shape], { moves, first: 7 }, problem.seed).shape;
}

/** The tree as what is left of it: first the members of the problem, then the PEs that have left. */
function remainsOf({ cores }: TreeProblem, tree: Tree): Remains {
  const all = [tree.root, ...Object.values(tree.children).flat()];
  const places = new Map(cores.map((core, member) => [core, member]));
  for (const core of all) if (!places.has(core)) places.set(core, places.size);
  const place = (core: number): number => places.get(core) as number;
  return {
    root: place(tree.root),
    children: [...places.keys()].map((core) => (tree.children[core] ?? []).map(place)),
  };
}

function yardstick(problem: TreeProblem, latency: number, against: "bound" | "search"): number {
  if (against === "search") {
    // as generateTrees would search; no barrier is wanted
    return searchTrees({ ...problem, moves: undefined }, { otherBarrier: 0 }).broadcast.latency;
  }
  // the two are summed in different orders: where the bound is met, only rounding is between them
  return problem.size <= SMALL ? latency : Math.min(lowerBound(problem), latency);
}

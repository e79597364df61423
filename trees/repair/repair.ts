/**
 * Repairs a tree after PEs have left or joined, in a few milliseconds and without a new search.
 *
 * When a PE with children has left, either a successor takes its position (successor.ts), or its subtrees are attached
 * where the message reaches them first, as are PEs that join (reattach.ts). Then the path to the last PE is shortened
 * step by step (descent.ts). The root is kept; if it leaves, the best root found replaces it. As that changes much,
 * some thousand changes of an annealing (anneal.ts) follow; small groups get them, too, as they take no longer there. A
 * reduce tree is repaired as the broadcast tree of the mirrored problem. The smallest groups are solved exactly
 * (exact.ts).
 *
 * Limits: after large changes a new search (generateTrees) is worth its time. After one PE of 95 real machines had
 * left, the tree was 0.2 % above a new one on average, 1.1 % in the worst tenth and 4 % at most; after the root had
 * left, 1.8 %, 5 % and 22 %. It takes 2 ms for up to 128 PEs, 4 ms for 256 and 15 ms for 512, most of it to read all
 * costs; with the root gone 10 ms for up to 32 PEs, 25 ms up to 128 and 60 ms for 256. No annealing beyond
 * {@link MOST_ANNEALED} PEs.
 *
 * Source: ours.
 *
 * Example: reattach.ts; the resulting star, 0: 2, 3, takes 7, and with three PEs nothing is faster.
 */
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { lowerBound } from "../bound/bound.ts";
import { bestOrder } from "../model/child-order.ts";
import { groupCosts } from "../model/group-costs.ts";
import { latencyOf, latencyOn } from "../model/latency.ts";
import { mirror, treeProblem } from "../model/problem.ts";
import { treeOf } from "../model/shape.ts";
import type { Shape, Tree, TreeProblem } from "../model/tree.ts";
import { searchTrees } from "../search/adaptive.ts";
import { anneal } from "../search/anneal.ts";
import { descend } from "../search/descent.ts";
import { exact } from "../search/exact.ts";
import { type CheckedRepair, checkRepair, type RepairOptions, SMALL, type TreeChange } from "./change.ts";
import type { Remains } from "./reattach.ts";
import { reattachWithSuccessors } from "./successor.ts";

/** Larger groups are repaired without annealing: its working copy needs quadratic memory. */
const MOST_ANNEALED = 512;

/** In groups up to this size a few changes are effective: their annealing begins earlier. */
const FEW = 32;

/** A repaired tree and its quality. */
export interface RepairedTree {
  /** The tree of the new group: the algorithm of the old one, `from` "repair" ("exact" for few PEs). */
  readonly tree: Tree;
  /** Latency of the reference given by `against`: a tree, the one of a full search, or the lower bound. */
  readonly reference: number;
  /**
   * Relative difference to {@link reference}: 0.02 for 2 % slower, negative if it is faster. Compared with the tree
   * before the change, PEs that join add to it, as reaching more PEs takes longer. Infinity if the reference is 0 and
   * the tree's latency is not; JSON turns that into null.
   */
  readonly loss: number;
  /** Time of the repair, ms. */
  readonly took: number;
}

/**
 * Repairs a tree after PEs have left it, or joined, or both, in some milliseconds, and reports its quality.
 *
 * @throws UsageError unless `tree` is a tree over PEs of the model, if a PE that leaves is not in it, if one that joins
 *   is in it or is not in the model, if no PE is left, and for an invalid option
 * @throws ModelError for an invalid model
 */
export function repairTree(
  tree: Tree,
  machine: MachineModel,
  change: TreeChange,
  options: RepairOptions = {},
): RepairedTree {
  const began = monotonic();
  const checked = checkRepair(tree, machine, change, options);
  const { cores, root, moves, seed, operation } = checked;
  const group = groupCosts(machine, cores, { root, seed });
  const shape = reattachedShape(operation === "broadcast" ? group : mirror(group), tree, moves);
  const latency = latencyOf(group, shape, operation);
  const reference = referenceOf(tree, machine, checked, latency);
  return {
    tree: treeOf(group, shape, tree.algorithm, latency, group.size <= SMALL ? "exact" : "repair"),
    reference,
    loss: latency === reference ? 0 : latency / reference - 1,
    took: monotonic() - began,
  };
}

function reattachedShape(problem: TreeProblem, tree: Tree, moves: number): Shape {
  if (problem.size <= SMALL) return bestOrder(problem, exact(problem)).shape;
  const { shape } = descend(problem, reattachWithSuccessors(problem, remainsOf(problem, tree)).shape);
  if (moves === 0 || problem.size > MOST_ANNEALED) return shape;
  return anneal(problem, [shape], { moves, first: problem.size <= FEW ? 3 : 7 }, problem.seed).shape;
}

/** The remains of the tree: first the members of the problem, then the PEs that have left. */
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

function referenceOf(
  tree: Tree,
  machine: MachineModel,
  { old, cores, root, seed, operation, against }: CheckedRepair,
  latency: number,
): number {
  if (against === "before") return latencyOn(machine, old, tree, operation);
  if (typeof against === "object") return latencyOn(machine, cores, against, operation);
  const group = treeProblem(machine, cores, { root, seed });
  const problem = operation === "broadcast" ? group : mirror(group);
  // as generateTrees would search; no barrier is needed
  if (against === "search") return searchTrees(problem, { otherBarrier: 0 }).broadcast.latency;
  // the two are summed in different orders: when the bound is met, they differ only by rounding
  return problem.size <= SMALL ? latency : Math.min(lowerBound(problem), latency);
}

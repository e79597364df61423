/**
 * The candidates for a contest: the most promising trees and barriers of a group.
 *
 * For each operation these are the best known tree, the best of each other family (ECEF, Smelt's, the best static one),
 * and every kind of barrier; the best by the model first, without duplicates, at most {@link MOST}. Why: a search ends
 * within 1 % of the best tree, but the model has errors of 10 to 15 %, so a tree
 * of another shape may be faster on the machine.
 *
 * Example: 2 PEs have one tree, the line, and two barriers: dissemination, and up and down that line.
 */
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { mirror, treeProblem } from "../model/problem.ts";
import { treeOf } from "../model/shape.ts";
import type { Barrier, Finder, Tree, TreeProblem, Trees } from "../model/tree.ts";
import { ecefTrees, least, published } from "../search/candidates.ts";
import { barriersBeside, generateTrees, oneTree } from "./generate.ts";
import type { TreeOptions } from "./options.ts";

/** Largest number of candidates for one operation. */
const MOST = 4;

/** The candidates for each operation, the model's favourite first. */
export interface Contenders {
  readonly trees: Trees;
  readonly broadcast: readonly Tree[];
  readonly reduce: readonly Tree[];
  readonly barrier: readonly Barrier[];
}

/** The trees of a machine, and others that may be faster on it. */
export function contendersOn(machine: MachineModel, options: Pick<TreeOptions, "moves"> = {}): Contenders {
  const trees = generateTrees(machine, options);
  const problem = treeProblem(machine, trees.cores);
  const broadcast = among(trees.broadcast, families(problem));
  const reduce = among(trees.reduce, families(mirror(problem)));
  const barriers = [...barriersBeside(problem), oneTree(problem, "smelt")];
  return { trees, broadcast, reduce, barrier: among(trees.barrier, barriers) };
}

/** The best ECEF tree, Smelt's, and the best static one. */
function families(problem: TreeProblem): Tree[] {
  const known = published(problem);
  const of = (names: readonly Finder[]) => known.filter(({ from }) => names.includes(from));
  const statics: Finder[] = ["sequential", "binary", "fibonacci", "mst", "cluster"];
  return [ecefTrees(problem), of(["smelt"]), of(statics)].map((family) => {
    const { from, shape, latency } = least(family, (candidate) => candidate.latency);
    return treeOf(problem, shape, "adaptive", latency, from);
  });
}

/** The favourite and the best of the others, without duplicates. */
function among<T extends Tree | Barrier>(favourite: T, others: readonly T[]): T[] {
  const kept = new Map<string, T>();
  for (const one of [favourite, ...others.toSorted((a, b) => a.latency - b.latency)]) {
    const edges = outline(one);
    if (!kept.has(edges)) kept.set(edges, one);
  }
  return [...kept.values()].slice(0, MOST);
}

/** Identifies a tree or barrier by its edges. A tree is run from any root, so for two PEs there is only one. */
function outline(one: Tree | Barrier): string {
  if (!("kind" in one)) {
    const pairs = Object.entries(one.children);
    return pairs.length === 1 && pairs[0]?.[1].length === 1 ? "line" : JSON.stringify([one.root, pairs]);
  }
  if (one.kind === "dissemination") return `dissemination ${one.order.join()}`;
  return JSON.stringify([one.kind, one.reduce, one.broadcast]);
}

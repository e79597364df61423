/**
 * The trees that section 5 of Smelt's paper compares, for the PEs of a model, and what the model predicts for the
 * method of the last leaf.
 *
 * The method: all begin at the same time; a leaf that has completed the operation sends a message back to the root,
 * which takes the time until it has that. It is done for each leaf, and the longest time counts. So no clocks are
 * compared. A reduction ends at the root and needs no such message.
 *
 * Each tree keeps the root of its builder: the first PE for the static ones, Smelt's and ours choose.
 *
 * Source: Smelt (OSDI'16), sections 2.4 and 5.1. Left out of the algorithms of `tundish tree`: `bad`, which is bad on
 * purpose, and `exact`, which is for small groups.
 */
import type { Algorithm } from "../../src/ground/base/tree-algorithms.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { generateTrees, oneTree } from "../../trees/generate/generate.ts";
import { broadcastTimes } from "../../trees/model/latency.ts";
import { edgeCost, treeProblem } from "../../trees/model/problem.ts";
import { shapeOver } from "../../trees/model/shape.ts";
import type { Baseline, Tree, TreeProblem, Trees } from "../../trees/model/tree.ts";

export type SmeltOperation = "broadcast" | "reduce" | "barrier";
export const OPERATIONS: readonly SmeltOperation[] = ["broadcast", "reduce", "barrier"];

/** Those that know nothing of the machine, or its domains and costs alone: the best of them is Smelt's baseline. */
export const STATIC: readonly Algorithm[] = ["sequential", "binary", "fibonacci", "mst", "cluster"];
/** All that are compared; the last is ours. */
export const COMPARED: readonly Algorithm[] = [...STATIC, "smelt", "adaptive"];
export const OURS: Algorithm = "adaptive";
/** The choice of a contest on the machine, as `launch` does with a profile: among ours and the best of others. */
export const CHOSEN = "contest";
export type TreeName = Algorithm | typeof CHOSEN;

/** One operation by one algorithm, and where it is measured. */
export interface TreeCase {
  readonly algorithm: TreeName;
  readonly operation: SmeltOperation;
  /** `tree`, or for our barrier the kind that the model prefers. */
  readonly kind: "tree" | "dissemination" | "hybrid";
  readonly trees: Trees;
  /** The PE that measures. */
  readonly root: number;
  /** Who says that it has completed, one after the other; none for a reduction. */
  readonly leaves: readonly number[];
  /** By the model, with the message of the leaf, in its unit. */
  readonly predicted: number;
}

/**
 * The cases of all PEs of a model.
 * @param moves what our search tries; by default by the number of PEs
 * @param chosen by a contest, if there was one
 */
export function casesOf(machine: MachineModel, moves?: number, chosen?: Trees): TreeCase[] {
  const problem = treeProblem(
    machine,
    machine.pes.map((_, pe) => pe),
  );
  const ours = generateTrees(machine, { algorithm: OURS, ...(moves !== undefined && { moves }) });
  const all: (readonly [TreeName, Trees])[] = COMPARED.map((name) => [
    name,
    name === OURS ? ours : published(ours, problem, name as Baseline),
  ]);
  if (chosen !== undefined) all.push([CHOSEN, chosen]);
  return all.flatMap(([algorithm, trees]) => {
    return OPERATIONS.map((operation): TreeCase => ({ algorithm, trees, ...caseOf(operation, trees, problem) }));
  });
}

/** As in Smelt one tree serves all three operations. */
function published(ours: Trees, problem: TreeProblem, name: Baseline): Trees {
  const barrier = oneTree(problem, name);
  return { ...ours, broadcast: barrier.broadcast, reduce: barrier.reduce, barrier };
}

function caseOf(
  operation: SmeltOperation,
  { broadcast, reduce, barrier }: Trees,
  problem: TreeProblem,
): Omit<TreeCase, "algorithm" | "trees"> {
  if (operation === "reduce")
    return { operation, kind: "tree", root: reduce.root, leaves: [], predicted: reduce.latency };
  if (operation === "broadcast" || barrier.kind === "tree") {
    const tree = operation === "barrier" && barrier.kind === "tree" ? barrier.broadcast : broadcast;
    const before = operation === "barrier" && barrier.kind === "tree" ? barrier.reduce.latency : 0;
    const leaves = leavesOf(tree, problem.size);
    return {
      operation,
      kind: "tree",
      root: tree.root,
      leaves,
      predicted: before + withReply(tree, leaves, problem),
    };
  }
  const { root } = broadcast;
  const leaves = Array.from({ length: problem.size }, (_, pe) => pe).filter((pe) => pe !== root);
  const reply = Math.max(...leaves.map((leaf) => edgeCost(problem, leaf, root)));
  return { operation, kind: barrier.kind, root, leaves, predicted: barrier.latency + reply };
}

/** PEs without children. */
export const leavesOf = ({ children }: Tree, size: number): number[] =>
  Array.from({ length: size }, (_, pe) => pe).filter((pe) => (children[pe] ?? []).length === 0);

/** The time until the root has the message of the last leaf. */
function withReply(tree: Tree, leaves: readonly number[], problem: TreeProblem): number {
  const { informed } = broadcastTimes(problem, shapeOver(problem, tree));
  return Math.max(...leaves.map((leaf) => (informed[leaf] as number) + edgeCost(problem, leaf, tree.root)));
}

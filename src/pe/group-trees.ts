/**
 * The trees of a group, the checks of what it is made of, and its memory: loaded by the first group that a PE makes.
 */
import { worldTrees } from "../../trees/generate/world-trees.ts";
import { checkTrees } from "../../trees/model/check-world-trees.ts";
import type { Algorithm, CollectivePlan, Trees } from "../../trees/model/tree.ts";
import { repairTrees } from "../../trees/repair/repair-trees.ts";
import { checkOptions, type OptionField, optionsOf, unchecked } from "../ground/base/options.ts";
import type { MachineModel } from "../machine/model/machine-model.ts";
import { selectPEs } from "../machine/model/select.ts";
import type { GroupOptions } from "./group-options.ts";

export { reserve } from "../collectives/team/reservation.ts";

// with the number of ranks: checkTrees
const GROUP: OptionField = optionsOf<GroupOptions>({ trees: unchecked });

/** @throws UsageError */
export const checkGroupOptions = (options: GroupOptions): void => checkOptions("group", GROUP, options);

/** Trees that a program has given. @param size of the group @throws UsageError unless they span it */
export function givenTrees(trees: Trees, size: number): Trees {
  checkTrees(trees, size);
  return trees;
}

/**
 * Those that the machine model predicts to be fastest.
 * @param rows of the group's PEs in the model
 * @param tree as of {@link worldTrees}, like `oversubscribed`
 */
export const predictedTrees = (
  model: MachineModel,
  rows: readonly number[],
  oversubscribed: boolean,
  tree: Algorithm | null,
): Trees => worldTrees(selectPEs(model, rows), oversubscribed, tree);

/**
 * Those of a group that one of its PEs has left, repaired. Null for a forced tree, and where PEs share cores
 * ({@link worldTrees}): then the predicted ones are as soon there, and better.
 * @param rows of the group's PEs in the model @param gone which of them is the one
 */
export const repairedTrees = (
  model: MachineModel,
  rows: readonly number[],
  before: CollectivePlan,
  gone: number,
): Trees | null =>
  before.broadcast.algorithm === "adaptive" && rows.length > 2
    ? repairTrees(before, selectPEs(model, rows), gone)
    : null;

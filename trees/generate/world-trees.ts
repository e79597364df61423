/** The trees of the collectives of a world or a group, from a machine model. */

import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import type { Algorithm, Trees } from "../model/tree.ts";
import { treesOf } from "./generate.ts";

/** Changes that the search tries when a world or a group is made: some 20 ms. */
const MOVES = 20_000;

/**
 * The trees for the PEs of a model, by the algorithm `tree` if one is forced. If PEs share cores (`oversubscribed`),
 * the cost of a message is dominated by switching a core to the waiting PE. The flat tree is then the best one: no PE
 * waits for a PE that waits itself.
 */
export function worldTrees(model: MachineModel, oversubscribed: boolean, tree: Algorithm | null): Trees {
  const algorithm = tree ?? (oversubscribed ? "sequential" : "adaptive");
  return treesOf(model, { algorithm, moves: MOVES });
}

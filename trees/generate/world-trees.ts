/** The trees that the collectives of a world or a group run on, out of a machine model. */

import type { MachineModel } from "../../src/machine/types.ts";
import type { Algorithm, Trees } from "../model/types.ts";
import { treesOf } from "./generate.ts";

/** Changes that the search for trees tries when a world or a group is made: some 20 ms. */
const MOVES = 20_000;

/**
 * The trees for the PEs of a model; by `tree` where an algorithm is forced. Where PEs share cores (`oversubscribed`), a message costs nothing beside the
 * handing over of a core to the PE that waits for it, so the flat tree is the best one: nobody waits for
 * somebody who waits himself.
 */
export function worldTrees(model: MachineModel, oversubscribed: boolean, tree: Algorithm | null): Trees {
  const algorithm = tree ?? (oversubscribed ? "sequential" : "adaptive");
  return treesOf(model, { algorithm, moves: MOVES });
}

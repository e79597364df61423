/** What the collectives of a team run on: trees out of a machine model. */
import { treesOf } from "../../trees/generate/generate.ts";
import type { Algorithm, Trees } from "../../trees/model/types.ts";
import type { MachineModel } from "../machine/types.ts";

/** A broadcast tree, a reduce tree and a barrier over ranks. */
export type CollectivePlan = Pick<Trees, "broadcast" | "reduce" | "barrier" | "contest">;

/** Changes that the search for trees tries when a world or a group is made: some 20 ms. */
const MOVES = 20_000;

/**
 * The trees for the PEs of a model; by `tree` where an algorithm is forced. Where PEs share cores (`crowded`), a message costs nothing beside the
 * handing over of a core to the PE that waits for it, so the flat tree is the best one: nobody waits for
 * somebody who waits himself.
 */
export function planFor(model: MachineModel, crowded: boolean, tree: Algorithm | null): Trees {
  const algorithm = tree ?? (crowded ? "sequential" : "adaptive");
  return treesOf(model, { algorithm, moves: MOVES });
}

/** Predicted trees, kept between runs: the search takes 5 ms for 2 PEs and 300 ms for 128. */
import { checkTrees } from "../../../trees/model/check-world-trees.ts";
import type { Algorithm, Trees } from "../../../trees/model/tree.ts";
import { keep, recall } from "../../ground/base/files/remembered.ts";
import { hashDigits } from "../../ground/base/hash.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";

/** As worldTrees() of trees/generate. */
export async function knownTrees(model: MachineModel, oversubscribed: boolean, tree: Algorithm | null): Promise<Trees> {
  const size = model.pes.length;
  const key = hashDigits(JSON.stringify([model, oversubscribed, tree]));
  const name = `predicted-${size}-${key}`;
  try {
    const known = recall(name, key);
    checkTrees(known, size);
    return known;
  } catch {
    const { worldTrees } = await import("../../../trees/generate/world-trees.ts");
    const trees = worldTrees(model, oversubscribed, tree);
    keep(name, key, trees);
    return trees;
  }
}

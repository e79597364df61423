/** Predicted trees, kept between runs: the search takes 5 ms for 2 PEs and 300 ms for 128. */
import { worldTrees } from "../../../trees/generate/world-trees.ts";
import { checkTrees } from "../../../trees/model/check-world-trees.ts";
import type { Algorithm, Trees } from "../../../trees/model/tree.ts";
import { keep, recall } from "../../ground/base/files/remembered.ts";
import { hashDigits } from "../../ground/base/hash.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";

/** As {@link worldTrees}. */
export function knownTrees(model: MachineModel, oversubscribed: boolean, tree: Algorithm | null): Trees {
  const size = model.pes.length;
  const key = hashDigits(JSON.stringify([model, oversubscribed, tree]));
  const name = `predicted-${size}-${key}`;
  try {
    const known = recall(name, key);
    checkTrees(known, size);
    return known;
  } catch {
    const trees = worldTrees(model, oversubscribed, tree);
    keep(name, key, trees);
    return trees;
  }
}

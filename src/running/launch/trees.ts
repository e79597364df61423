/**
 * Chooses the trees of a world: the given trees, else those of its plan, else those that a contest chose before, else
 * those that the model predicts to be fastest.
 */
import type { Trees } from "../../../trees/model/tree.ts";
import { isBundled } from "../../ground/base/package-file.ts";
import { chosenTrees } from "../contest/choose-trees.ts";
import type { WorldOptions } from "../run/options.ts";
import type { PreparedWorld } from "../run/prepare.ts";

const UNMEASURED =
  "The trees are chosen by the machine model and not measured: several nodes of the world share this machine and would disturb " +
  "each other's measurements. Start one process per machine.";

/** @param contest ends one that is run now; null if none may run, as CPUs are taken @throws its abort's reason */
export function treesFor(
  { trees }: WorldOptions,
  prepared: PreparedWorld,
  contest: AbortSignal | null,
): Trees | Promise<Trees> {
  if (typeof trees === "object") return trees;
  const { model, isGuess, fingerprint, channel, forced, job, adopted } = prepared;
  if (adopted.trees !== null) return adopted.trees;
  const isShared = job?.share.shared ?? false;
  return chosenTrees({
    model,
    fingerprint,
    channel,
    oversubscribed: prepared.cpus.length > prepared.cores,
    // a guessed model is not worth a contest; `tundish tree` measures one on request; a bundle lacks the contest's
    // program
    contest: isGuess || isShared || isBundled ? null : contest,
    unmeasured: !isGuess && isShared ? UNMEASURED : null,
    tree: forced?.tree ?? null,
  });
}

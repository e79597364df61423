/** The trees of a world: those that are given, else those that a contest has chosen, else those that the model prefers. */
import type { Trees } from "../../trees/model/types.ts";
import { chosenTrees } from "../contest/chosen.ts";
import type { WorldOptions } from "../run/options.ts";
import type { Prepared } from "../run/prepare.ts";

const UNMEASURED =
  "Trees are not measured, as several nodes of the world share this machine and would disturb each other: the machine model is " +
  "taken at its word. Start one process per machine.";

/**
 * @param contest what ends a contest that is held now; null where none may be held: the PEs' CPUs are not free
 * @throws the reason of `contest` when that has ended it
 */
export function treesFor(
  { trees }: WorldOptions,
  prepared: Prepared,
  contest: AbortSignal | null,
): Trees | Promise<Trees> {
  if (typeof trees === "object") return trees;
  const { model, isGuess, fingerprint, channel, forced, job } = prepared;
  const isShared = job?.share.shared ?? false;
  return chosenTrees({
    model,
    fingerprint,
    channel,
    oversubscribed: prepared.cpus.length > prepared.cores,
    // a guess is taken at its word, or at that of `tundish tree`, which measures a guess too
    contest: isGuess || isShared ? null : contest,
    unmeasured: !isGuess && isShared ? UNMEASURED : null,
    tree: forced?.tree ?? null,
  });
}

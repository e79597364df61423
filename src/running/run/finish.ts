/** The end of a run whose PEs have all returned: whether they have made the same calls, on this node and on all. */

import { CLOSED, MISMATCHED } from "../../ground/wait/layout.ts";
import type { Ending } from "../../ground/wait/termination.ts";
import type { Epoch } from "../../links/world/nodes/epoch.ts";
import { atTheEnd, differenceIn, type FirstDifference, worldCallsIn } from "../../pe/calls-compared.ts";

/** Why a run has not ended well; the world ends so, unless it has ended. */
export interface Fault {
  readonly ending: Ending;
  readonly message: string;
}

/**
 * Waits until all PEs of other nodes have returned, too.
 * @param made as for {@link differenceIn}; of no PE if a lost one may have ended calls at some PEs that others have not
 * made
 * @param firstDifference of the calls of a team, as {@link differenceIn} needs it
 * @param isLast whether the PEs leave the world with this run
 * @returns null if all is well, "ended" if the world has ended meanwhile
 */
export async function finishRun(
  made: ReadonlyMap<number, string>,
  firstDifference: FirstDifference,
  epoch: Epoch | null,
  stop: AbortSignal,
  isLast: boolean,
): Promise<Fault | "ended" | null> {
  const difference = differenceIn(made, firstDifference);
  if (difference !== null) return { ending: MISMATCHED, message: difference };
  const [any] = made.values();
  const wrong = epoch && (await epoch.finish(any === undefined ? "" : worldCallsIn(any), stop, isLast));
  if (wrong === null) return null;
  if (wrong.what === "ended") return "ended";
  if (wrong.what === "closed") return { ending: CLOSED, message: `Node ${wrong.node} has closed the world` };
  const other = `the PEs of node ${wrong.node} have made other calls in the world than those of this node`;
  return { ending: MISMATCHED, message: atTheEnd(other) };
}

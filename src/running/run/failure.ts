/** How a thread reports the failure of its PE to all others. */
import type { Verdict } from "../../ground/base/account.ts";
import { threwText } from "../../ground/base/call-site/threw.ts";
import { MismatchError, RankLostError } from "../../ground/base/errors.ts";
import { LOST } from "../../ground/wait/layout.ts";
import type { Termination } from "../../ground/wait/termination.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";

/** Ends the world with what PE `rank` has thrown. The first one's error is that of all; later ones change nothing. */
export function reportFailure(termination: Termination, wakers: Wakers, rank: number, error: unknown): void {
  if (wakers.losses.areSurvived && !termination.decided) {
    wakers.losses.lose(rank, lossOf(rank, error).message);
    wakers.notifyAll();
    return;
  }
  // what is thrown at all PEs alike, or by one that has found another one lost, is reported as it is
  if (error instanceof MismatchError || error instanceof RankLostError) termination.decideBy(rank, error);
  else termination.decide(LOST, { rank, message: threwText(rank, error), cause: error });
  wakers.notifyAll();
}

/** How a PE was lost that has thrown, in a world that goes on without it. */
export const lossOf = (rank: number, error: unknown): Verdict => ({
  rank,
  message: threwText(rank, error),
  cause: error,
});

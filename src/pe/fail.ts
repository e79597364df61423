/** How an error at a PE that no call of it throws ends its world. */
import type { Seatholder } from "../collectives/team/team.ts";

/** @returns what ends the world with an error of this PE, and gives it back */
export function failing({ rank, termination, wakers }: Seatholder): (error: unknown) => unknown {
  return (error) => {
    if (termination.decideBy(rank, error as Error)) wakers.notifyAll();
    return error;
  };
}

/** Errors of shared data. */
import { named, RankLostError, UsageError } from "../../ground/base/errors.ts";

/**
 * A PE is lost, or has returned from its main, while it held a lock, a permit, or an entry of a map: what the lock
 * guards may be half changed. `rank` is its rank in the world. The lock stays with it until a PE repairs it.
 */
export class LockLostError extends RankLostError {}

named({ LockLostError });

/** @param what `lock "accounts"` @param rank in the world @param cause its loss; null if it has returned */
export const lockLost = (call: string, what: string, rank: number, cause: Error | null): LockLostError =>
  new LockLostError(
    rank,
    `${call}: PE ${rank} ${cause === null ? "has returned from its main" : "is lost"} and held the ${what}: what it guards may ` +
      "be half changed. Give the object a repair function, which makes that whole again: the next PE calls it.",
    cause === null ? {} : { cause },
  );

export const hasLeft = (call: string, what: string): UsageError =>
  new UsageError(`${call}: this PE has left the ${what}. Make another one.`);

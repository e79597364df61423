/**
 * Claims: a block of the heap for a group or a conveyor. All its PEs get it, or all get the same refusal, and then it is as if nobody had
 * asked. Where there is room nobody waits; where there is none a PE waits for the others, who may be about to give some back.
 */
import { MismatchError, sentenceOf, type TundishError } from "../../base/errors.ts";
import { MISMATCHED } from "../../wait/layout.ts";
import type { Registry, Reservation } from "./registry.ts";
import type { Seatholder, Team } from "./team.ts";

/** Between two looks whether there is room, ms: who gives some back does not ring. */
const NAP_MS = 1;

/** Who reserves. */
export interface Reserver {
  readonly holder: Seatholder;
  readonly registry: Registry;
  /** Through which the world ends when a reservation cannot be settled. */
  readonly team: Team;
}

/**
 * The byte offset of a zeroed block.
 * @param members PEs of this node
 * @throws HeapError at all of them when there is no room; MismatchError, and the world ends; what ends a wait
 */
export function reserve(reserver: Reserver, members: readonly number[], what: Reservation): number {
  const { holder, registry } = reserver;
  try {
    const request = registry.request(members, what);
    let offset = registry.attempt(request);
    if (offset > 0) return offset;
    const missing = () => registry.missing(request);
    const isSettled = () => {
      if (registry.hasNews) offset = registry.attempt(request);
      return offset > 0;
    };
    try {
      waitFor(reserver, { isSettled, missing, napMs: NAP_MS });
    } finally {
      if (offset === 0) registry.withdraw();
    }
    return offset;
  } catch (error) {
    // the others wait in a group or conveyor of their own, for ever
    throw error instanceof MismatchError ? endWith(holder, error) : error;
  }
}

/** Ends the world, as PEs do not agree about what they make; gives what is to be thrown. */
export function endWith({ rank, termination, wakers }: Seatholder, error: MismatchError): TundishError {
  termination.decide(MISMATCHED, { rank: -1, message: `PE ${rank} called ${sentenceOf(error)}` });
  wakers.notifyAll();
  return termination.error();
}

/** What is waited for while something is made. */
export interface PendingReservation {
  /** Whether it is over. @throws what it comes to */
  isSettled(): boolean;
  /** The PEs that have not come, as the world numbers them. */
  missing(): readonly number[];
  /** Longest sleep between two looks, ms. @default as the waiter does: who settles it notifies */
  readonly napMs?: number;
}

/** Waits in the thread itself. @throws what `isSettled` throws; what ends the wait, and the world ends with it */
export function waitFor({ holder, team }: Reserver, { isSettled, missing, napMs }: PendingReservation): void {
  const { waiter } = holder;
  const { watcher } = waiter;
  const absent = () => {
    const ranks = missing();
    return ranks.length === 0 ? "" : `Not yet there: PE ${ranks.join(", ")} (making a group or a conveyor).`;
  };
  // that of the last collective knows nothing of this
  waiter.watcher = { where: "", verify() {}, absent };
  let turn = 0;
  try {
    while (!isSettled()) turn = pause();
  } finally {
    waiter.done(turn);
    waiter.watcher = watcher;
  }

  function pause(): number {
    try {
      return waiter.pause(turn, missing()[0] ?? -1, napMs);
    } catch (error) {
      team.fail(error);
      throw error;
    }
  }
}

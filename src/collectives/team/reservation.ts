/**
 * Reservations: a block of the heap for a group or a conveyor. All its PEs get it, or all get the same error and
 * nothing has changed. If there is room, no PE waits. If not, a PE waits for the others, which may be about to free
 * memory.
 */
import { MismatchError, sentenceOf, type TundishError } from "../../ground/base/errors.ts";
import { MISMATCHED } from "../../ground/wait/layout.ts";
import { watched } from "../../ground/wait/waiter.ts";
import type { Watcher } from "../../ground/wait/watcher.ts";
import { pesText } from "../../ground/wait/who.ts";
import { Registry, type RegistrySeat, type Reservation } from "./registry.ts";
import type { Seatholder, Team } from "./team.ts";

/** Interval between two attempts, ms: a PE that frees memory does not notify. */
const SLEEP_MS = 1;

/** The PE that reserves. */
export interface Reserver {
  readonly holder: Seatholder;
  readonly registry: RegistrySeat;
  /** The team through which the world ends if a reservation cannot be settled. */
  readonly team: Team;
}

/**
 * Reserves a zeroed block; returns its byte offset.
 * @param members PEs of this node
 * @throws HeapError at all of them if there is no room; MismatchError, and the world ends; any error that ends a wait
 */
export function reserve(reserver: Reserver, members: readonly number[], what: Reservation): number {
  const { holder, registry: seat } = reserver;
  seat.opened ??= new Registry(seat);
  const registry = seat.opened;
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
      waitFor(reserver, { making: what.making, isSettled, missing, pollMs: SLEEP_MS });
    } finally {
      if (offset === 0) registry.withdraw();
    }
    return offset;
  } catch (error) {
    // the others would wait for ever in a group or conveyor of their own
    throw error instanceof MismatchError ? endWith(holder, error) : error;
  }
}

/** Ends the world because PEs disagree about what they make; returns the error to be thrown. */
export function endWith({ rank, termination, wakers }: Seatholder, error: MismatchError): TundishError {
  termination.decide(MISMATCHED, { rank: -1, message: `PE ${rank}: ${sentenceOf(error)}` });
  wakers.notifyAll();
  return termination.error();
}

/** A wait while a group or a conveyor is made. */
export interface PendingReservation {
  /** The thing that is made: "a conveyor of u32". */
  readonly making: string;
  /** Whether it is settled. @throws the error that it was settled with */
  isSettled(): boolean;
  /** The PEs that have not arrived, by rank in the world. */
  missing(): readonly number[];
  /** Longest sleep between two polls, ms. @default as the waiter does: the PE that settles it notifies */
  readonly pollMs?: number;
}

/** Waits in the thread itself. @throws errors of `isSettled`; any that ends the wait, which also ends the world */
export function waitFor({ holder, team }: Reserver, { making, isSettled, missing, pollMs }: PendingReservation): void {
  const { waiter, termination } = holder;
  const absent = () => {
    const ranks = missing();
    return ranks.length === 0 ? "" : `Not yet there: ${pesText(ranks)} (making a group or a conveyor).`;
  };
  // the watcher of the last collective does not apply to this wait
  const watcher: Watcher = {
    call: `the making of ${making}`,
    where: "",
    get awaited() {
      return missing();
    },
    verify() {},
    absent,
  };
  watched(waiter, watcher, () => {
    let turn = 0;
    try {
      while (!isSettled()) turn = pause(turn);
    } finally {
      waiter.done(turn);
    }
  });

  function pause(turn: number): number {
    try {
      // of the group: PEs that wait for each other here may all need one that is lost
      if (termination.decided) throw termination.error();
      return waiter.pause(turn, missing()[0] ?? -1, pollMs);
    } catch (error) {
      team.fail(error);
      throw error;
    }
  }
}

/**
 * The states of a conveyor, seen from one PE, and what advance returns.
 *
 *     DORMANT ──begin──▶ WORKING ──advance(true)──▶ ENDGAME ──▶ CLEANUP ──▶ COMPLETE ──reset──▶ DORMANT
 *              (BEGIN)                                                              (RESET)
 *
 * BEGIN and RESET: the call is under way, and waits for the others. A program that awaits can see them.
 * ENDGAME: this PE pushes nothing more. CLEANUP: no PE does, and all that is on its way here has come.
 * COMPLETE: there is nothing left to pull. Source: narrative.h of bale's convey.
 */

/** Where a conveyor is, as its users see it. */
export type ConveyorState = "dormant" | "begin" | "working" | "endgame" | "cleanup" | "complete" | "reset";

// the same as numbers, for the innermost loops
export const DORMANT = 0;
export const WORKING = 1;
export const ENDGAME = 2;
export const CLEANUP = 3;
export const COMPLETE = 4;
export const BEGIN = 5;
export const RESET = 6;

/** By number. */
export const STATE_NAMES: readonly ConveyorState[] = [
  "dormant",
  "working",
  "endgame",
  "cleanup",
  "complete",
  "begin",
  "reset",
];

/** Whether it has begun and not been reset: items may be pulled. */
export const isBegun = (state: number): boolean => state !== DORMANT && state <= COMPLETE;

/** From advance: the session is over, nothing is left to pull. */
export const DONE = 0;
/** From advance: go on. */
export const OK = 1;
/** From advance: go on; nothing more comes in than what can be pulled already. */
export const NEAR = 2;

/** What advance returns: {@link DONE} is the only one that is falsy, so it ends a loop. */
export type Status = typeof DONE | typeof OK | typeof NEAR;

/**
 * The states of a conveyor, seen from one PE, and what advance returns.
 *
 *     DORMANT ──begin──▶ WORKING ──advance(true)──▶ ENDGAME ──▶ CLEANUP ──▶ COMPLETE ──reset──▶ DORMANT
 *              (BEGIN)
 *
 * BEGIN: the call is pending and waits for other PEs; only asynchronous programs can observe this state.
 * ENDGAME: this PE pushes nothing more. CLEANUP: no PE pushes any more, and all items for this PE were received.
 * COMPLETE: there is nothing left to pull. Source: narrative.h of bale's convey.
 */

/** The state of a conveyor, as its users see it. */
export type ConveyorState = "dormant" | "begin" | "working" | "endgame" | "cleanup" | "complete";

// the states as numbers, for the innermost loops
export const DORMANT = 0;
export const WORKING = 1;
export const ENDGAME = 2;
export const CLEANUP = 3;
export const COMPLETE = 4;
export const BEGIN = 5;

/** Names by number. */
export const STATE_NAMES: readonly ConveyorState[] = ["dormant", "working", "endgame", "cleanup", "complete", "begin"];

/** Whether a session has begun and was not reset: items may be pulled. */
export const isBegun = (state: number): boolean => state !== DORMANT && state <= COMPLETE;

/** From advance: the session is complete, nothing is left to pull. */
export const DONE = 0;
/** From advance: continue. */
export const OK = 1;
/** From advance: continue; no more items will arrive than those that can be pulled already. */
export const NEAR = 2;

/** The return value of advance. Only {@link DONE} is falsy, so it ends a loop. */
export type Status = typeof DONE | typeof OK | typeof NEAR;

/**
 * The wait area, through which PEs wait for each other: one shared termination line, and a line per PE.
 *
 *     ┌───────────┬──────────┬───────────┬────────────┬─────────────┬────────────┬───────────────┐
 *     │ STATE i32 │ RANK i32 │ BYTES i32 │ FENCES i32 │ TROUBLE i32 │ LOSSES i32 │ CONTINUES i32 │  termination: how the world ended, if it did
 *     ├───────────┴──────────┴───────────┴────────────┴─────────────┴────────────┴───────────────┤
 *     │ ACCOUNT of the error                                                                      │  TERMINATION_ACCOUNT_BYTES
 *     ├───────────┬───────────┬───────────┬───────────────────┬───────────────────────────────────┤
 *     │ WAKER i32 │ PHASE i32 │ OPEN i32  │ bytes of it, i32  │ REASON, why the PE is lost        │  line of PE 0
 *     ├───────────┼───────────┼───────────┼───────────────────┼───────────────────────────────────┤
 *     │ WAKER i32 │ PHASE i32 │ OPEN i32  │ bytes of it, i32  │ REASON                            │  line of PE 1 …
 *     └───────────┴───────────┴───────────┴───────────────────┴───────────────────────────────────┘
 *
 * FENCES says who pays for the order of a store and the load after it (wakers.ts). It shares the line that every call
 * reads anyway. TROUBLE is not 0 once the world has ended or a PE is lost; LOSSES counts lost PEs; CONTINUES is 1 in a
 * world that goes on without them (losses.ts). WAKER is the word that a PE sleeps on; PHASE, whether the PE has
 * returned, departed or is lost; OPEN, 1 while the PE has a ticket that no thread has joined with.
 */
import { LINE } from "../memory/heap-layout.ts";

// words in the termination line
export const TERMINATION_STATE = 0;
export const TERMINATION_RANK = 1;
export const TERMINATION_BYTES = 2;
export const FENCES = 3;
export const TROUBLE = 4;
export const LOSSES = 5;
export const CONTINUES = 6;
export const TERMINATION_ACCOUNT_BYTES = 32_768;

// values of TERMINATION_STATE
export const RUNNING = 0;
/** A thread is writing the account; the final state follows at once. */
export const WRITING = 1;
export const LOST = 2;
export const TIMED_OUT = 3;
export const ABORTED = 4;
export const CLOSED = 5;
export const MISMATCHED = 6;

// values of FENCES
/** Whoever makes a condition true fences before it looks at a waker. */
export const NOTIFIERS_FENCE = 0;
/** Whoever is about to sleep makes all threads of the process fence. */
export const SLEEPERS_FENCE = 1;

// words in a PE's line
export const PE_WAKER = 0;
export const PE_PHASE = 1;
export const PE_OPEN = 2;
export const PE_REASON = 3;

// values of PE_WAKER: how the PE sleeps, and so which call wakes it
export const AWAKE = 0;
export const ASLEEP_IN_FUTEX = 1;
export const ASLEEP_IN_ATOMICS = 2;

// values of PE_PHASE; 0 until the PE's main returns
/** It sends nothing more. */
export const DEPARTED = 1;
/** Its main has returned: it makes no further call. It still serves pushes of PEs of other nodes. */
export const RETURNED = 2;
/** It is lost, and its world goes on without it. */
export const PHASE_LOST = 3;
/** It sends nothing more in this run of an open world; in the next one it may. */
export const BETWEEN_RUNS = 4;

/** Bytes of the whole area for `pes` PEs. */
export const waitAreaBytes = (pes: number): number => LINE + TERMINATION_ACCOUNT_BYTES + pes * LINE;

/** Word index of PE `pe`'s line in an area that begins at byte `offset`. */
export const peWord = (offset: number, pe: number): number =>
  (offset + LINE + TERMINATION_ACCOUNT_BYTES + pe * LINE) / 4;

/**
 * What PEs need in order to wait for each other: one shared line of termination, and a line per PE.
 *
 *     ┌───────────┬───────────┬──────────┐
 *     │ STATE i32 │ RANK i32  │ BYTES    │  termination: what ended the world, if anything did
 *     ├───────────┴───────────┴──────────┤
 *     │ ACCOUNT of the error             │  FATE_ACCOUNT_BYTES
 *     ├──────────┬───────────┬───────────┤
 *     │ WAKER i32 │ PHASE i32 │ TAKEN i32 │  line of PE 0
 *     ├──────────┼───────────┼───────────┤
 *     │ WAKER i32 │ PHASE i32 │ TAKEN i32 │  line of PE 1 …
 *     └──────────┴───────────┴───────────┘
 *
 * WAKER is what a PE sleeps on; PHASE tells whether it is still there to answer; TAKEN, whether a thread
 * has joined as this PE.
 */
import { LINE } from "../memory/heap-layout.ts";

// words in the termination line
export const TERMINATION_STATE = 0;
export const TERMINATION_RANK = 1;
export const TERMINATION_BYTES = 2;
export const TERMINATION_ACCOUNT_BYTES = 32_768;

// FATE_STATE
export const RUNNING = 0;
/** Somebody is writing the account; the final state follows at once. */
export const WRITING = 1;
export const LOST = 2;
export const TIMED_OUT = 3;
export const ABORTED = 4;
export const CLOSED = 5;
export const MISMATCHED = 6;

// words in a PE's line
export const PE_WAKER = 0;
export const PE_PHASE = 1;
export const PE_TAKEN = 2;

// PE_BELL: how the PE sleeps, so that who wakes it knows by which call
export const AWAKE = 0;
export const ASLEEP_IN_FUTEX = 1;
export const ASLEEP_IN_ATOMICS = 2;

// PE_PHASE; 0 while the PE is there
/** Its main has returned: whatever it has not sent yet will never come. */
export const DEPARTED = 1;

/** Bytes of the whole area for `pes` PEs. */
export const waitAreaBytes = (pes: number): number => LINE + TERMINATION_ACCOUNT_BYTES + pes * LINE;

/** Word index of PE `pe`'s line in an area that begins at byte `offset`. */
export const peWord = (offset: number, pe: number): number =>
  (offset + LINE + TERMINATION_ACCOUNT_BYTES + pe * LINE) / 4;

/** Why a buffer was sent, for the statistics. */

/** The cause of a buffer's sending, see `sentFor` of ConveyorCounts. */
export type CauseName = "full" | "cutoff" | "delay" | "capacity" | "flush" | "steady" | "exchange" | "end";

/** In the order of their numbers. */
export const CAUSES: readonly CauseName[] = [
  "full",
  "cutoff",
  "delay",
  "capacity",
  "flush",
  "steady",
  "exchange",
  "end",
];

/** A number of {@link CAUSES}. */
export type Cause = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** It had no room for another item, or had reached the threshold. */
export const FULL: Cause = 0;
/** An item was longer than the cutoff, or larger than a buffer. */
export const CUTOFF: Cause = 1;
/** Its oldest item had waited for `maxDelay`. */
export const DELAY: Cause = 2;
/** It was the fullest when `maxBufferedBytes` was reached. */
export const CAPACITY: Cause = 3;
/** The program has called flush or pushUrgent, here or at the sender. */
export const FLUSH: Cause = 4;
/** It was partial at the third visit, or a biconveyor had nothing else to do. */
export const STEADY: Cause = 5;
/** All PEs of a simple conveyor have sent what they had. */
export const EXCHANGE: Cause = 6;
/** Nothing more was to come. */
export const END: Cause = 7;

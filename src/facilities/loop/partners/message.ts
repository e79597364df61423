/**
 * A message between partners of a loop over nodes: words of 32 bits.
 *
 *     ┌──────┬──────┬───────┬──────┬──────┬───────┬────────┬──────┐
 *     │ LOOP │ WORD │ COUNT │ ROOT │ KIND │ FIRST │ SECOND │ DONE │
 *     └──────┴──────┴───────┴──────┴──────┴───────┴────────┴──────┘
 *
 * LOOP is the number of the loop in the group; WORD, COUNT and ROOT are the call, by which PEs are compared; DONE is
 * how many iterations are over on the node of the sender.
 */
export const LOOP = 0;
export const WORD = 1;
export const COUNT = 2;
export const ROOT = 3;
export const KIND = 4;
export const FIRST = 5;
export const SECOND = 6;
export const DONE = 7;

export const WORDS = 8;

// KIND
export const ASKS = 1;
/** FIRST: where it begins, SECOND: how many iterations; 0 for none. */
export const GIVES = 2;
/** FIRST: 1 if the last PE of its node leaves, to one partner of each node. */
export const LEAVES = 3;
/** FIRST: 1 + the rank of the PE. */
export const STOPS = 4;
/** The partner tells DONE, by the next one. */
export const WANTS_DONE = 5;
export const TELLS_DONE = 6;

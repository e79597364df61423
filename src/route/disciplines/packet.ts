/**
 * A packet: a piece of a block, as it travels in a buffer. Its bytes follow the head, or are where the program has put
 * them, if the receiver reads the sender's heap.
 *
 *     buffer   ┌─────┬────────┬────────────┬───────────┬──────────┬───────────┐
 *              │ tag │ length │ offset f64 │ total f64 │ away f64 │ the bytes │
 *              └─────┴────────┴────────────┴───────────┴──────────┴───────────┘
 *      byte     0     4        8            16          24         32
 *
 * offset: position in the block; total: bytes of the block; away: distance of the bytes from the start of the buffer.
 */

// words of 4 bytes
export const TAG = 0;
export const LENGTH = 1;
// words of 8 bytes
export const OFFSET = 1;
export const TOTAL = 2;
export const AWAY = 3;

export const HEAD_BYTES = 32;

/**
 * Bytes of a packet when nothing is said. With its head it is a message that Open MPI sends at once over TCP: 64 KiB at
 * most, by default. A longer one first waits for an answer, and this one behind the data in the other direction.
 */
export const MESSAGE_BYTES = 32_768;

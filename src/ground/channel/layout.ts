/**
 * Layout of a channel of cache-line messages: one line for the receiver's progress, then the slots.
 *
 *     byte 0     ┌──────────────┬───────────────────────────────────────────┐
 *                │ PROGRESS i32 │ unused                                    │  written by the receiver only
 *     byte 128   ├──────────────┼───────────┬───────────────────────────────┤
 *                │ HEADER i32   │ TAG i32   │ payload, 56 bytes             │  slot 0, 64 bytes
 *     byte 192   ├──────────────┼───────────┼───────────────────────────────┤
 *                │ HEADER i32   │ TAG i32   │ payload, 56 bytes             │  slot 1 …
 *                └──────────────┴───────────┴───────────────────────────────┘
 *
 * HEADER in a UMP channel is `sequence << 1 | epoch`: the 31-bit number of the message and a bit that
 * flips each time the ring is walked through, so that a slot's old message is never taken for a new
 * one and zeroed memory holds no message. In a FastForward channel it is 0 while the slot is empty.
 *
 * Slots are 64 bytes apart (one cache line each, as in Smelt), not 128: neighbours are written by the
 * same PE and read by the same other one, and prefetching the next message is welcome.
 */
import { LINE } from "../memory/heap-layout.ts";

/** Bytes of one slot: one cache line. */
export const SLOT_BYTES = 64;
/** Bytes of a message's payload. */
export const PAYLOAD_BYTES = 56;

// words in a slot
export const SLOT_HEADER = 0;
export const SLOT_TAG = 1;
/** Byte offset of the payload in a slot. */
export const SLOT_PAYLOAD = 8;

/** Byte offset of slot 0 in a channel. */
export const SLOTS_OFFSET: number = LINE;

/** Messages that a channel holds unless told otherwise (Smelt's number). */
export const DEFAULT_SLOTS = 64;

/** Sequence numbers have 31 bits. */
export const SEQUENCE_MASK = 0x7fff_ffff;

/** Bytes of a channel of `slots` messages. */
export const channelBytes = (slots: number): number => SLOTS_OFFSET + slots * SLOT_BYTES;

/** Bytes of a signal (signal.ts) with a line of its own. */
export const SIGNAL_BYTES: number = LINE;
/** Bytes of its word alone. */
export const SIGNAL_WORD_BYTES = 4;

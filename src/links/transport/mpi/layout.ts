/**
 * Layout of a link to a PE on another node: memory of the PE itself, which MPI reads and writes.
 *
 *     link     ┌──────────┬──────────┬─────────────────────────────┬─────┬─────────────────────────────┬─────┐
 *              │ ack out  │ ack in   │ room for a head, buffer 0   │ …   │ room for a head, buffer 0   │ …   │
 *              └──────────┴──────────┴─────────────────────────────┴─────┴─────────────────────────────┴─────┘
 *                a line     a line     perLink buffers that go out         perLink buffers that come in
 *
 *     message  ┌───────────┬───────────┬───────────┬───────────┬──────────────┬──────────┬─────────────┬───────────┬─────────┐
 *              │ START u32 │ BYTES u32 │ COUNT i32 │ STAMP u32 │ FINISHED i32 │ ACKS i32 │ SESSION i32 │ QUIET i32 │ bytes … │
 *              └───────────┴───────────┴───────────┴───────────┴──────────────┴──────────┴─────────────┴───────────┴─────────┘
 *
 * A message is a contiguous part of the sender's memory: the head is written right before the bytes, at a multiple of
 * 64, so that nothing is copied, and the items have the same alignment at the receiver as at the sender. START is the
 * offset of the bytes from the head.
 *
 * FINISHED is the number of buffers received over the link that were read to their end, ever, modulo 2^32. It is sent
 * back with every message, or, if there is none, in an ack (a head without bytes, of which only these two words count).
 * ACKS is the number of acks sent. SESSION is the session word (session-word.ts). QUIET is 1 if the sender waits for no
 * receipt of this message (receipts.ts).
 */
import { LINE } from "../../../ground/memory/heap-layout.ts";
import type { Buffers } from "../contract.ts";
import { LINK_SPACE } from "../messages/tags.ts";

// words of a head
export const START = 0;
export const BYTES = 1;
export const COUNT = 2;
export const STAMP = 3;
export const FINISHED = 4;
export const ACKS = 5;
export const SESSION = 6;
export const QUIET = 7;
export const HEAD_BYTES = 32;
/** Alignment of messages. */
export const HEAD_ALIGN = 64;
/** Bytes before a buffer. */
export const HEAD_ROOM: number = LINE;

/** Byte offsets within a link. */
export const ACK_OUT = 0;
export const ACK_IN: number = LINE;
const FIRST_BUFFER: number = 2 * LINE;

/** Offset of outgoing buffer `number` from the start of the link, bytes. */
export const outAt = ({ bytes }: Buffers, number: number): number =>
  FIRST_BUFFER + HEAD_ROOM + number * (HEAD_ROOM + bytes);

/** Offset of the memory for the message with incoming buffer `number`, from the start of the link, bytes. */
export const inAt = ({ bytes, perLink }: Buffers, number: number): number =>
  FIRST_BUFFER + (perLink + number) * (HEAD_ROOM + bytes);

/** Largest message, bytes. */
export const messageBytes = ({ bytes }: Buffers): number => HEAD_ROOM + bytes;

/** Bytes of a link. */
export const remoteLinkBytes = ({ bytes, perLink }: Buffers): number =>
  Math.max(LINK_SPACE, FIRST_BUFFER + 2 * perLink * (HEAD_ROOM + bytes));

/**
 * Layout of a link to a PE on another node: memory of the PE's own, that MPI reads from and writes into.
 *
 *     link     ┌──────────┬──────────┬─────────────────────────────┬─────┬─────────────────────────────┬─────┐
 *              │ ack out  │ ack in   │ room for a head, buffer 0   │ …   │ room for a head, buffer 0   │ …   │
 *              └──────────┴──────────┴─────────────────────────────┴─────┴─────────────────────────────┴─────┘
 *                a line     a line     perLink buffers that go out         perLink buffers that come in
 *
 *     message  ┌───────────┬───────────┬───────────┬───────────┬─────────────────┬──────────┬────────┬─────────┐
 *              │ START u32 │ BYTES u32 │ COUNT i32 │ STAMP u32 │ FINISHED i32    │ ACKS i32 │ unused │ bytes … │
 *              └───────────┴───────────┴───────────┴───────────┴─────────────────┴──────────┴────────┴─────────┘
 *
 * A message is one piece of the sender's buffer and of what lies before it: the head is put right before the bytes, at a
 * multiple of 64, so that nothing is copied, and the items are aligned at the receiver as they are at the sender.
 * START is where the bytes begin, from the head on.
 *
 * FINISHED is how many buffers that came over the link have been read to their end, ever, modulo 2^32. It goes back with
 * every message, and in an ack (a head without bytes, where only the last two words count) when there is none. ACKS
 * is how many acks have been sent.
 */
import { LINE } from "../../memory/heap-layout.ts";
import type { Buffers } from "../contract.ts";
import { LINK_SPACE } from "../messages/tags.ts";

// words of a head
export const START = 0;
export const BYTES = 1;
export const COUNT = 2;
export const STAMP = 3;
export const FINISHED = 4;
export const ACKS = 5;
export const HEAD_BYTES = 32;
/** Messages begin at a multiple of this. */
export const HEAD_ALIGN = 64;
/** Bytes before a buffer. */
export const HEAD_ROOM: number = LINE;

/** Byte offsets within a link. */
export const ACK_OUT = 0;
export const ACK_IN: number = LINE;
const FIRST_BUFFER: number = 2 * LINE;

/** Where buffer `number` begins that goes out, bytes from the start of the link. */
export const outAt = ({ bytes }: Buffers, number: number): number =>
  FIRST_BUFFER + HEAD_ROOM + number * (HEAD_ROOM + bytes);

/** Where the message with buffer `number` is received, bytes from the start of the link. */
export const inAt = ({ bytes, perLink }: Buffers, number: number): number =>
  FIRST_BUFFER + (perLink + number) * (HEAD_ROOM + bytes);

/** Bytes that a message may have. */
export const messageBytes = ({ bytes }: Buffers): number => HEAD_ROOM + bytes;

/** Bytes of a link. */
export const remoteLinkBytes = ({ bytes, perLink }: Buffers): number =>
  Math.max(LINK_SPACE, FIRST_BUFFER + 2 * perLink * (HEAD_ROOM + bytes));

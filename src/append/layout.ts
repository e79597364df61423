/**
 * Layout of an append buffer in the heap of a node: one block, with a part for each PE of the node, in order.
 *
 *     part   ┌──────────────┬──────────┬───────────┬───────────┐
 *            │ RESERVED u64 │ BASE u64 │ FREED i32 │ unused    │  control line
 *            ├──────────────┴──────────┴───────────┴───────────┤
 *            │ the slot of each writer on the node …           │  a line each
 *            ├─────────────────────────────────────────────────┤
 *            │ the bytes that are appended                     │  a multiple of 128
 *            └─────────────────────────────────────────────────┘
 *     slot   ┌───────────────┬──────────────┬──────────────────┐
 *            │ COMPLETED u64 │ MESSAGES u64 │ PENDING u32      │
 *            └───────────────┴──────────────┴──────────────────┘
 *
 * RESERVED counts all bytes that were ever reserved, and only grows: 64 bits never wrap. A reset stores its value in BASE, which
 * only the owner writes. A reserved range begins at RESERVED before the addition, less BASE. Both are in one line, as a writer has
 * that line when it needs BASE.
 *
 * FREED, of the first part only, counts the PEs that have freed the block.
 *
 * COMPLETED and MESSAGES are what one writer has completed, in all; only it writes them, so no two PEs add to one word. PENDING is
 * the number of bytes of its push under way and 1, or 0; it is for messages.
 *
 * With a limit that truncates, RESERVED may pass the end: nothing is written there, and readers see the end.
 */
import { roundUp } from "../item/types.ts";
import { LINE } from "../memory/heap-layout.ts";

// bytes from the control line on; the kernels have the same (kernels/assembly/index.ts)
export const FREED = 16;

// bytes from a slot on
export const PENDING = 16;

/** Bytes of the part of one PE. @param length of its buffer @param writers PEs of the node */
export const partBytes = (length: number, writers: number): number =>
  (1 + writers) * LINE + roundUp(length, LINE);

/** Bytes of a part before its buffer. */
export const headBytes = (writers: number): number => (1 + writers) * LINE;

/**
 * Layout of an append buffer in the heap of a node: one block, with a part for each PE of the node, in order. Writers
 * are the PEs that have this memory: those of the node, and of nodes that have mapped its heap.
 *
 *     part   ┌──────────────┬──────────┬───────────┬───────────┐
 *            │ RESERVED u64 │ BASE u64 │ FREED i32 │ unused    │  control line
 *            ├──────────────┴──────────┴───────────┴───────────┤
 *            │ the slot of each writer …                       │  a line each
 *            ├─────────────────────────────────────────────────┤
 *            │ the bytes that are appended                     │  a multiple of 128
 *            └─────────────────────────────────────────────────┘
 *     slot   ┌─────────────┬──────────────┬─────────────┬────────┬──────────┐
 *            │ PENDING u64 │ MESSAGES u64 │ AWAITED i32 │ unused │ STAGE 64 │
 *            └─────────────┴──────────────┴─────────────┴────────┴──────────┘
 *     PENDING   bit 63 … 32: position + 1, or 0 while it is not known   bit 31 … 0: bytes + 1   all 0: no push
 *
 * RESERVED counts all bytes that were ever reserved, and only grows: 64 bits never wrap. A reset stores its value in
 * BASE, which only the owner writes. A reserved range begins at RESERVED before the addition, less BASE. Both are in
 * one line, as a writer has that line when it needs BASE. Where pushes are truncated, RESERVED may pass the end:
 * nothing is written there, and readers see the end.
 *
 * PENDING is the push of one writer that is under way; only that writer writes it: before it reserves, when it knows
 * the position, and when all is written. So a reader that loads RESERVED first, and then PENDING of all writers, knows
 * below what all is written: no writer adds to a counter of completed bytes, which would cost a second contended
 * operation.
 *
 * AWAITED is 1 while the owner waits for pushes; the owner stores it for each writer, in a line that the writer has:
 * who pushes looks at it, and wakes nobody who waits for something else. STAGE is the writer's own: small data from
 * outside of the heap, for a kernel that does the whole push. MESSAGES counts what that writer has completed, in all.
 * FREED, of the first part only, counts the writers that have freed the block.
 */
import { roundUp } from "../../ground/item/item-type.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";

/** Bytes from the control line on; the kernels know the other words (kernels/assembly/index.ts). */
export const FREED = 16;
/** Bytes from a slot on. */
export const AWAITED = 16;
export const STAGE = 64;
/** Bytes of the stage of a writer. */
export const STAGE_BYTES = 64;

/** The steps of the kernel of a whole push, as bits (kernels/assembly/index.ts). */
export const TRUNCATES = 1;
export const COUNTS = 2;
export const ORDERS = 4;

/** Bytes of the part of one PE. @param length of its buffer */
const partBytes = (length: number, writers: number): number => (1 + writers) * LINE + roundUp(length, LINE);

/** Bytes of a part before its buffer. */
export const headBytes = (writers: number): number => (1 + writers) * LINE;

/** Where the parts of a block begin, in order, and behind the last one where it ends. @param lengths of the buffers */
export function partPlaces(lengths: readonly number[], writers: number): number[] {
  const places = [0];
  for (const length of lengths) places.push((places.at(-1) as number) + partBytes(length, writers));
  return places;
}

/**
 * Layout of an append buffer that all PEs change through MPI windows (by-window.ts), those of its own node, too: one
 * block in the heap of each node, with a part for each PE of the group on it, in order.
 *
 *     part   ┌──────────────┬──────────┬──────────┬──────────────┬───────────┬──────────┬────────┐
 *            │ RESERVED i64 │ BASE i64 │ DONE i64 │ MESSAGES i64 │ FREED i32 │ GONE i64 │ unused │  control line
 *            ├──────────────┴──────────┴──────────┴──────────────┴───────────┴──────────┴────────┤
 *            │ the bytes that are appended                                                       │  a multiple of 128
 *            ├───────────────────────────────────────────────────────────────────────────────────┤
 *            │ operand, result; operand, result; …                                               │  of own accesses
 *            └───────────────────────────────────────────────────────────────────────────────────┘
 *
 * RESERVED counts all bytes that were ever reserved. DONE is added to when bytes are there and all before them are:
 * what is below it can be read. MESSAGES counts what came with them. A reset stores RESERVED in BASE, which only the
 * owner writes. Where pushes are truncated, RESERVED and DONE also count bytes that had no room.
 *
 * Where they are not truncated, a writer must not reserve what does not fit, and MPI has no access with a request that
 * compares: it replaces RESERVED by HELD, which is what a lock does, and then by the new value.
 *
 * FREED, of the first part of a node, counts the PEs of the node that push nothing more, and then those that know that
 * nobody does; GONE the nodes of which no PE pushes any more.
 */
import { roundUp } from "../../ground/item/item-type.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";

/** Bytes from the control line on. */
export const RESERVED = 0;
export const BASE = 8;
export const DONE = 16;
export const MESSAGES = 24;
export const FREED = 32;
export const GONE = 40;
/** Bytes of a part before its buffer. */
export const HEAD: number = LINE;

/** RESERVED while a writer has it. */
export const HELD = -1n;

/** Accesses of a PE that are under way at the same time, and bytes of the largest one. */
export const SLOTS = 8;
export const PIECE_BYTES = 8192;

/**
 * Where the slots of a PE begin: their operands, each with its result behind it.
 * @param at of its part
 * @param length of its buffer
 */
export const slotsAt = (at: number, length: number): number => at + HEAD + roundUp(length, LINE);

/** Where the parts of a block begin, in order, and behind the last one where it ends. @param lengths of the buffers */
export function windowPlaces(lengths: readonly number[]): number[] {
  const places = [0];
  for (const length of lengths) {
    places.push(slotsAt(places.at(-1) as number, length) + SLOTS * 2 * PIECE_BYTES);
  }
  return places;
}

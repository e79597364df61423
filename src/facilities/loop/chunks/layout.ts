/**
 * The memory of the loops of a group, in the heap of its node: one block, of the PEs on that node. The loops of a group
 * use its slots in turn.
 *
 *     slot     ┌─────────────┬──────────┬──────────┬───────────┬──────────┬────────────┬────────┐
 *              │ COUNTER u64 │ STOP i32 │ GONE u32 │ NODES u32 │ NEXT u32 │ WAITED i32 │ unused │   control line
 *              ├───────────┬─┴─────────┬┴──────────┴┬──────────┼──────────┼──────────┬─┴──────────┬─┴──────┐
 *              │ RANGE u64 │ BEGIN u32 │ STEALS u32 │ DONE u32 │ LEFT i32 │ TURN u32 │ AWAITS u32 │ unused │   line of PE 0 …
 *              └───────────┴───────────┴────────────┴──────────┴──────────┴──────────┴────────────┴────────┘
 *     victims  ┌──────────────────────────────────┐
 *              │ the other PEs, nearest first u32 │                                        lines of PE 0; PE 1 …
 *              └──────────────────────────────────┘
 *     RANGE    bit 63 … 32: first iteration   bit 31 … 0: end   all 0: not touched yet   all 1: empty
 *
 * RANGE has the iterations that a PE has still to run. Its owner takes from the front, thieves take the back half, both
 * by compare-exchange of the whole. One that nobody has touched stands for the PE's block, which everybody can compute:
 * so no PE waits for another before it begins, and the block of a PE that comes late is not lost to the others. A range
 * says all that there is to know of it: who exchanges one that has been away, over nodes, takes what it says (ABA).
 *
 * COUNTER is the next iteration of `guided`, and in its low word the next chunk of `dynamic`. STOP is 1 + the rank of
 * the PE that has ended the loop early, 0 if none has. GONE counts the PEs of this node that take no more, NODES the
 * other nodes of which all have said so; both over nodes only. NEXT is the iteration whose ordered part comes next;
 * of a single (single.ts) 1 + the rank of the PE that has a value for all, 0 for none. WAITED is 1 once a PE has
 * waited for its turn, and AWAITS then 1 + the iteration (ordered.ts). BEGIN is the owner's own: the first iteration
 * of the chunk that it took last. STEALS counts its thefts, DONE its iterations that are over; LEFT is 1 once it
 * takes no more. TURN is the owner's own: with which of the equally near victims its next steal begins. Of these the
 * last one has the bit LAST.
 *
 * A PE clears its line of a slot, and PE 0 the control line, when it begins the loop before the one that will use the
 * slot. The loop that has used it last was two loops ago: between the two there was a barrier, before which all PEs
 * have looked at STOP; and there will be another before the slot is used.
 */
import { LINE } from "../../../ground/memory/heap-layout.ts";

/** Bytes from the control line on. */
export const STOP = 8;
export const GONE = 12;
export const NODES = 16;
export const NEXT = 20;
export const WAITED = 24;

/** Bytes from the line of a PE on; the kernels know those that are not here (kernels/assembly/index.ts). */
export const BEGIN = 8;
export const STEALS = 12;
export const DONE = 16;
export const LEFT = 20;
export const TURN = 24;
export const AWAITS = 28;

/** In the list of victims. */
export const LAST: number = 2 ** 31;

export const SLOTS = 3;

/** A slot as its PE uses it: byte offsets in the heap. */
export interface Slot {
  readonly number: number;
  readonly control: number;
  /** The line of this PE. */
  readonly line: number;
  /** The words that it clears. A word that is 0 is not written, so that others keep the line in their caches. */
  readonly cleared: readonly number[];
  /** That of each PE of the node: the word LEFT, and DONE. */
  readonly left: readonly number[];
  readonly done: readonly number[];
}

/** Bytes of a slot: of `size` PEs. */
const slotBytes = (size: number): number => (1 + size) * LINE;

/** Bytes from the block on: the control line of a slot, the line of a PE in it, its victims. */
export const controlOf = (size: number, slot: number): number => slot * slotBytes(size);
export const lineOf = (size: number, slot: number, pe: number): number => controlOf(size, slot) + (1 + pe) * LINE;
export const victimsOf = (size: number, pe: number): number =>
  SLOTS * slotBytes(size) + pe * Math.ceil((4 * size) / LINE) * LINE;

/** Byte offset of the range of PE `pe`, as PE `own` finds it from its own line. */
export const rangeOf = ({ line }: { readonly line: number }, own: number, pe: number): number =>
  line + (pe - own) * LINE;

export const blockBytes = (size: number): number => victimsOf(size, size);

/** The most iterations of a loop: their numbers are u32. */
export const MOST: number = 2 ** 31;

/** Values of the fixed blocks of a loop, in a block of memory of their own: f64, for each slot. */
export const FIXED_BLOCKS = 1024;
export const VALUES_BYTES: number = SLOTS * FIXED_BLOCKS * 8;

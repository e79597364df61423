/**
 * The blocks of a kernel in the heap of a node.
 *
 *     data, one for each node   ┌───────────┬────────┬──────────────────────────────────────┐
 *                               │ FREED i32 │ unused │ static data, as the module aligns it │
 *                               └───────────┴────────┴──────────────────────────────────────┘
 *     of each PE                ┌────────────┬────────────────────────────┬────────────────────┐
 *                               │ GUARD line │ stack, from its end down ◄ │ thread-local block │
 *                               └────────────┴────────────────────────────┴────────────────────┘
 *
 * FREED counts the PEs of the node that have freed the kernel. GUARD holds a pattern: a stack that has run over its end
 * has changed it.
 */
import { roundUp } from "../../ground/item/item-type.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";

/** Bytes with an alignment, a power of two. */
export interface Extent {
  readonly bytes: number;
  readonly align: number;
}

export const FREED = 0;
/** Each word of the guard. */
export const GUARD: number = 0x53_54_41_4b;
export const GUARD_BYTES: number = LINE;
/** Alignment of a stack, as the C ABI of WebAssembly has it. */
export const STACK_ALIGN = 16;

/** Blocks of the heap begin at multiples of a line; for more there is some room. */
const slack = (align: number): number => Math.max(0, align - LINE);

export const dataBlockBytes = ({ bytes, align }: Extent): number => LINE + bytes + slack(align);
/** @param block where it begins */
export const dataAt = (block: number, { align }: Extent): number => roundUp(block + LINE, align);

export const ownBlockBytes = (stack: number, { bytes, align }: Extent): number =>
  GUARD_BYTES + stack + bytes + slack(align);
/** The end of the stack, where it begins; and the thread-local block. */
export const stackTop = (block: number, stack: number): number => block + GUARD_BYTES + stack;
export const localsAt = (block: number, stack: number, { align }: Extent): number =>
  roundUp(stackTop(block, stack), Math.max(align, STACK_ALIGN));

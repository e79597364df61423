/** Kernels of programs among the PEs of a group. */
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { isBeside } from "../../ground/memory/beside-heap.ts";
import { awaitOn, blockOn } from "../../ground/wait/task.ts";
import type { Group } from "../../pe/group.ts";
import { seatOf } from "../../pe/seat-of.ts";
import type { Kernel } from "./kernel.ts";
import { makingKernel } from "./making.ts";
import type { KernelOptions } from "./options.ts";

/**
 * The module of a kernel: the URL of its file, its bytes, or a `WebAssembly.Module` that is position-independent (an
 * object, as TypeScript declares it in its browser libraries only).
 */
export type KernelSource = URL | ArrayBufferView | ArrayBufferLike | object;

/** The memory of a node: a `WebAssembly.Memory`, which is shared. */
export interface KernelMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
}

/**
 * Instantiates a WebAssembly module of the program's own on the heap, in each PE with a stack and a thread-local block
 * of its own; its static data is placed once on each node (docs/kernels.md). Collective: all PEs of the group call it
 * with the same module.
 *
 *     using k = kernel<{ sum(at: number, n: number): number }>(pe, new URL("./sum.wasm", import.meta.url));
 *     const x = pe.alloc(Float64Array, 1000);
 *     k.exports.sum(addressOf(x), x.length);
 *
 * @throws UsageError for a module that would write where it must not, or that does not fit: it says which flags of the
 * compiler help. HeapError; MismatchError at the other PEs. No PE has a kernel then, and the world continues
 */
export function kernel<E = Readonly<Record<string, unknown>>>(
  pe: Group,
  source: KernelSource,
  options: KernelOptions = {},
): Kernel<E> {
  const seat = seatOf(pe, "kernel");
  seat.collectives.checkBlocking("kernel");
  return blockOn(seat, makingKernel<E>(seat, source, options));
}

/** As {@link kernel}, without blocking. */
export async function kernelAsync<E = Readonly<Record<string, unknown>>>(
  pe: Group,
  source: KernelSource,
  options: KernelOptions = {},
): Promise<Kernel<E>> {
  const seat = seatOf(pe, "kernelAsync");
  return awaitOn(seat, makingKernel<E>(seat, source, options));
}

/**
 * The heap of the PE's node as a `WebAssembly.Memory`, for instances that a program makes itself. What they write
 * outside of arrays of `pe.alloc` damages the world.
 */
export const memoryOf = (pe: Group): KernelMemory => seatOf(pe, "memoryOf").heap.memory;

/**
 * The address of an array in the heap, as kernels take it: its byte offset.
 * @param array of `pe.alloc` or `pe.allocShared`, or a part of one
 * @throws UsageError for an array that is not in shared memory
 */
export function addressOf(array: ArrayBufferView): number {
  const isView = ArrayBuffer.isView(array);
  if (isView && array.buffer instanceof SharedArrayBuffer && !isBeside(array.buffer)) return array.byteOffset;
  throw new UsageError(
    `addressOf: expected an array in the heap, of pe.alloc() or pe.allocShared(), got ${isView ? whereOf(array) : shortText(array)}.`,
  );
}

const whereOf = ({ buffer }: ArrayBufferView): string =>
  isBeside(buffer)
    ? "one that is larger than the heap, and so lies beside it, where addresses of 32 bits do not reach. Make the heap larger (heapBytes, at most 4 GiB), or use several arrays"
    : "one in memory of its own. Copy it into such an array";

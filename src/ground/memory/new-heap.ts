/** Makes heaps. PEs attach to those that their launcher has made (heap.ts). */
import { MessageChannel } from "node:worker_threads";
import { EnvironmentError, HeapError, UsageError } from "../base/errors.ts";
import { whyNoMemory } from "../base/thread/room.ts";
import { Heap } from "./heap.ts";
import { ALLOCATOR_PEAK, LINE } from "./heap-layout.ts";
import { type LateMemory, type WasmMemory, wasm } from "./kernels/webassembly.ts";

/** Heaps are multiples of it, bytes. */
export const PAGE = 65536;
const MAX_BYTES = 4 * 1024 ** 3;

/** Default size of a heap, bytes: address space, not memory in use. */
export const DEFAULT_HEAP_BYTES: number = 1024 ** 3;

/**
 * A shared memory of `bytes` bytes, a multiple of {@link PAGE}. @throws HeapError if there is no address space for it;
 * EnvironmentError without WebAssembly
 */
export function reserveMemory(bytes: number): WasmMemory {
  if (wasm === undefined) {
    throw new EnvironmentError(
      "The heap needs WebAssembly, and this process has none (--jitless, --no-expose-wasm). Start it without these.",
    );
  }
  const pages = bytes / PAGE;
  try {
    // V8 14 counts what a memory begins with as bytes in use, and collects garbage while the world starts
    const memory = new wasm.Memory({ initial: 1, maximum: pages, shared: true });
    if (pages > 1) memory.grow(pages - 1);
    return memory;
  } catch (cause) {
    throw new HeapError(
      `Cannot reserve ${bytes} bytes of address space for the heap (and up to 10 GiB for the checks of WebAssembly): ` +
        `${(cause as Error).message}. ${whyNoMemory(bytes)}`,
      { cause },
    );
  }
}

/**
 * Makes a heap of `bytes` (rounded up to 64 KiB, at most 4 GiB).
 * @param mapped zeroed memory with the heap at its start, and something else behind it. @default a memory of its own
 * @throws UsageError for an invalid size; HeapError if the address space is not available
 */
export function newHeap(bytes: number = DEFAULT_HEAP_BYTES, mapped?: WasmMemory): Heap {
  if (!(Number.isInteger(bytes) && bytes > 0 && bytes <= MAX_BYTES)) {
    throw new UsageError(`heapBytes: expected a whole number from 1 to ${MAX_BYTES} (4 GiB), got ${bytes}`);
  }
  const rounded = Math.ceil(bytes / PAGE) * PAGE;
  return Heap.create(mapped ?? reserveMemory(rounded), rounded);
}

/** The memory of a heap for one thread, which is sent it with its port; `end()` when the thread has exited. */
export function lateMemory(memory: WasmMemory): { readonly late: LateMemory; end(): void } {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(memory);
  // Deno forgets what was posted when the other end is closed
  return { late: { buffer: memory.buffer as SharedArrayBuffer, port: port2 }, end: () => port1.close() };
}

/** Bytes of the heaps of ended worlds that V8 does not know of yet. */
let unreported = 0;
/** By the bytes of such a heap: external memory that V8 counts for it and others. Nobody writes there. */
const reported = new WeakMap<SharedArrayBuffer, ArrayBuffer>();

/**
 * The world of a heap has ended: reports to V8 what it has touched as external memory, so that garbage is collected
 * before many heaps of a program that launches in a loop are kept. V8 13 (Node 24) keeps them all the same.
 */
export function reportExternalMemory({ buffer, i32 }: Heap): void {
  unreported += (i32[ALLOCATOR_PEAK] as number) * LINE;
  if (unreported < 64 * 1024 ** 2) return;
  try {
    reported.set(buffer, new ArrayBuffer(unreported));
    unreported = 0;
  } catch {
    // no address space for it: with the next one
  }
}

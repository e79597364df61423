/** Makes heaps. PEs attach to those that their launcher has made (heap.ts). */
import { EnvironmentError, HeapError, UsageError } from "../base/errors.ts";
import { whyNoMemory } from "../base/thread/room.ts";
import { Heap } from "./heap.ts";
import { type WasmMemory, wasm } from "./kernels/webassembly.ts";

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
    return new wasm.Memory({ initial: pages, maximum: pages, shared: true });
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

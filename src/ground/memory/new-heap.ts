/** Makes heaps. PEs attach to those that their launcher has made (heap.ts). */
import { UsageError } from "../base/errors.ts";
import { Heap } from "./heap.ts";
import type { WasmMemory } from "./kernels/webassembly.ts";
import { DEFAULT_HEAP_BYTES, isHeapSize, MAX_BYTES, Reserved, wholePages } from "./reserve.ts";

/**
 * Makes a heap of `bytes` (rounded up to 64 KiB, at most 4 GiB).
 * @param mapped zeroed memory with the heap at its start, and perhaps something else behind it. @default a memory of its own
 * @throws UsageError for an invalid size; HeapError if the address space is not available
 */
export function newHeap(bytes: number = DEFAULT_HEAP_BYTES, mapped?: WasmMemory): Heap {
  if (!isHeapSize(bytes)) {
    throw new UsageError(`heapBytes: expected a whole number from 1 to ${MAX_BYTES} (4 GiB), got ${bytes}`);
  }
  const rounded = wholePages(bytes);
  return Heap.create(mapped ?? new Reserved(rounded).grow(), rounded);
}

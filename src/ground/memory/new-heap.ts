/** Makes heaps. PEs attach to those that their launcher has made (heap.ts). */
import { Heap } from "./heap.ts";
import type { WasmMemory } from "./kernels/webassembly.ts";
import { PAGE, pagesOf, Reserved } from "./reserve.ts";

/**
 * Makes a heap of `bytes` (rounded up to 64 KiB, at most 4 GiB).
 * @param mapped zeroed memory with the heap at its start, and perhaps something else behind it. @default a memory of its own
 * @throws UsageError for an invalid size; HeapError if the address space is not available
 */
export function newHeap(bytes?: number, mapped?: WasmMemory): Heap {
  const pages = pagesOf(bytes);
  return Heap.create(mapped ?? new Reserved(pages).grow(), pages * PAGE);
}

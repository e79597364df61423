/**
 * Reserves the memory of heaps: small at first, then grown to its size. V8 counts as in use what a memory has when a
 * thread makes its object of it, and collects garbage for so much; what is added by growing counts for none. On Node 26
 * the collections of 1 GiB took 20 of the 89 ms of a launch of 2 PEs.
 */
import { EnvironmentError, HeapError, UsageError } from "../base/errors.ts";
import { whyNoMemory } from "../base/thread/room.ts";
import { type WasmMemory, type WasmOwnMemory, wasm } from "./kernels/webassembly.ts";

/** Heaps are multiples of it, bytes. */
export const PAGE = 65536;
const MAX_BYTES = 4 * 1024 ** 3;
/** Default size of a heap, bytes: address space, not memory in use. */
export const DEFAULT_HEAP_BYTES: number = 1024 ** 3;

/** The pages of a heap of at least so many bytes. @throws UsageError for an invalid size */
export function pagesOf(bytes: number = DEFAULT_HEAP_BYTES): number {
  if (Number.isInteger(bytes) && bytes > 0 && bytes <= MAX_BYTES) return Math.ceil(bytes / PAGE);
  throw new UsageError(`heapBytes: expected a whole number from 1 to ${MAX_BYTES} (4 GiB), got ${bytes}`);
}

/** Address space for a heap. */
export class Reserved {
  /** As long as it is small, threads are best sent it. */
  readonly memory: WasmOwnMemory;
  readonly #pages: number;

  /** @throws HeapError if there is no address space for so many pages; EnvironmentError without WebAssembly */
  constructor(pages: number) {
    if (wasm === undefined) {
      throw new EnvironmentError(
        "The heap needs WebAssembly, and this process has none (--jitless, --no-expose-wasm). Start it without these.",
      );
    }
    this.#pages = pages;
    this.memory = orNoRoom(pages, () => new wasm.Memory({ initial: 1, maximum: pages, shared: true }));
  }

  /** The memory, which has all its bytes now. Once. @throws HeapError as above */
  grow(): WasmMemory {
    orNoRoom(this.#pages, () => this.memory.grow(this.#pages - 1));
    return this.memory;
  }
}

function orNoRoom<T>(pages: number, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    const bytes = pages * PAGE;
    throw new HeapError(
      `Cannot reserve ${bytes} bytes of address space for the heap (and up to 10 GiB for the checks of WebAssembly): ` +
        `${(cause as Error).message}. ${whyNoMemory(bytes)}`,
      { cause },
    );
  }
}

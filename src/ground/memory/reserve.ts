/**
 * Reserves the memory of heaps: small at first, then grown to its size. V8 counts as in use what a memory has when a
 * thread makes its object of it, and collects garbage for so much; what is added by growing counts for none. On Node 26
 * the collections of 1 GiB took 20 of the 89 ms of a launch of 2 PEs.
 */
import { EnvironmentError, HeapError } from "../base/errors.ts";
import { whyNoMemory } from "../base/thread/room.ts";
import { type WasmMemory, type WasmOwnMemory, wasm } from "./kernels/webassembly.ts";

/** Heaps are multiples of it, bytes. */
export const PAGE = 65536;
/** Largest size of a heap, bytes. */
export const MAX_BYTES: number = 4 * 1024 ** 3;
/** Default size of a heap, bytes: address space, not memory in use. */
export const DEFAULT_HEAP_BYTES: number = 1024 ** 3;

export const isHeapSize = (bytes: number): boolean => Number.isInteger(bytes) && bytes > 0 && bytes <= MAX_BYTES;

export const wholePages = (bytes: number): number => Math.ceil(bytes / PAGE) * PAGE;

/** Address space for a heap. */
export class Reserved {
  /** As long as it is small, threads are best sent it. */
  readonly memory: WasmMemory;
  readonly #own: WasmOwnMemory;
  readonly #pages: number;

  /**
   * @param bytes of the heap, a multiple of {@link PAGE}
   * @throws HeapError if there is no address space for it; EnvironmentError without WebAssembly
   */
  constructor(bytes: number) {
    if (wasm === undefined) {
      throw new EnvironmentError(
        "The heap needs WebAssembly, and this process has none (--jitless, --no-expose-wasm). Start it without these.",
      );
    }
    this.#pages = bytes / PAGE;
    this.#own = orNoRoom(bytes, () => new wasm.Memory({ initial: 1, maximum: this.#pages, shared: true }));
    this.memory = this.#own;
  }

  /** The memory, which has all its bytes now. Once. @throws HeapError as above */
  grow(): WasmMemory {
    orNoRoom(this.#pages * PAGE, () => this.#own.grow(this.#pages - 1));
    return this.#own;
  }
}

function orNoRoom<T>(bytes: number, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    throw new HeapError(
      `Cannot reserve ${bytes} bytes of address space for the heap (and up to 10 GiB for the checks of WebAssembly): ` +
        `${(cause as Error).message}. ${whyNoMemory(bytes)}`,
      { cause },
    );
  }
}

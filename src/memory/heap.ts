/**
 * The memory that all PEs of a node share: one shared `WebAssembly.Memory`, so that typed arrays and
 * the SIMD kernels see the same bytes. Pages cost nothing until they are touched.
 */
import { HeapError, UsageError } from "../base/errors.ts";
import { allocate, type Block, release, tellFree, unused } from "./allocator.ts";
import {
  ALLOCATOR_TOP,
  CONTROL_LINES,
  CONTROL_MAGIC,
  CONTROL_VERSION,
  FIRST_LINE,
  LINE,
  MAGIC,
  VERSION,
} from "./heap-layout.ts";
import { type Kernels, loadKernels } from "./kernels/kernels.ts";
import { type WasmMemory, wasm } from "./kernels/webassembly.ts";

const PAGE = 65536;
const MAX_BYTES = 4 * 1024 ** 3;
/** Up to so many bytes are cleared without the kernels, which take a millisecond to load. */
const SHORT_BYTES = 1024;

/** Bytes of a heap when nothing else is asked for: address space, not memory in use. */
export const DEFAULT_HEAP_BYTES: number = 1024 ** 3;

/** One node's shared memory with its views, its allocator and its kernels. */
export class Heap {
  readonly memory: WasmMemory;
  readonly buffer: SharedArrayBuffer;
  readonly u8: Uint8Array;
  readonly i32: Int32Array;
  readonly f64: Float64Array;
  readonly #kernels: { loaded: Kernels | undefined } = { loaded: undefined };

  private constructor(memory: WasmMemory) {
    this.memory = memory;
    this.buffer = memory.buffer as SharedArrayBuffer;
    this.u8 = new Uint8Array(this.buffer);
    this.i32 = new Int32Array(this.buffer);
    this.f64 = new Float64Array(this.buffer);
  }

  /**
   * Makes a heap of `bytes` (rounded up to 64 KiB, at most 4 GiB).
   * @throws UsageError for a size that cannot be; HeapError when the address space is not to be had.
   */
  static create(bytes: number = DEFAULT_HEAP_BYTES): Heap {
    if (!(Number.isInteger(bytes) && bytes > 0 && bytes <= MAX_BYTES)) {
      throw new UsageError(`heapBytes: expected a whole number from 1 to ${MAX_BYTES} (4 GiB), got ${bytes}`);
    }
    const pages = Math.ceil(bytes / PAGE);
    let memory: WasmMemory;
    try {
      memory = new wasm.Memory({ initial: pages, maximum: pages, shared: true });
    } catch (cause) {
      throw new HeapError(
        `Cannot reserve ${bytes} bytes of address space for the heap: ${(cause as Error).message}. ` +
          "Ask for less with heapBytes, or raise the limit on address space (ulimit -v).",
        { cause },
      );
    }
    const heap = new Heap(memory);
    heap.i32[CONTROL_VERSION] = VERSION;
    heap.i32[CONTROL_LINES] = heap.buffer.byteLength / LINE;
    heap.i32[ALLOCATOR_TOP] = FIRST_LINE;
    // pairs with the load in attach(): who sees the magic number sees the fields above
    Atomics.store(heap.i32, CONTROL_MAGIC, MAGIC);
    return heap;
  }

  /**
   * Looks at a heap that another thread of this process made.
   * @throws HeapError when the memory is no Tundish heap or one of another version of the layout.
   */
  static attach(memory: WasmMemory): Heap {
    const heap = new Heap(memory);
    // pairs with the store in create()
    const magic = Atomics.load(heap.i32, CONTROL_MAGIC);
    if (magic !== MAGIC || heap.i32[CONTROL_VERSION] !== VERSION) {
      throw new HeapError(
        `Expected a Tundish heap of layout ${VERSION}, got magic ${magic} and layout ${heap.i32[CONTROL_VERSION]}. ` +
          "Are two versions of tundish installed? See: npm ls tundish",
      );
    }
    return heap;
  }

  /** The SIMD kernels of this memory, loaded at first use. */
  get kernels(): Kernels {
    this.#kernels.loaded ??= loadKernels(this.memory);
    return this.#kernels.loaded;
  }

  /**
   * Takes a block of at least `bytes` bytes, aligned to 128 and zero. Any thread may call it.
   * @returns the block's byte offset in the heap.
   * @throws HeapError when no block of that size is free.
   */
  allocate(bytes: number): number {
    if (!(Number.isInteger(bytes) && bytes >= 0)) {
      throw new UsageError(`allocate: expected a whole number of bytes >= 0, got ${bytes}`);
    }
    const block: Block = allocate(this.i32, bytes);
    const { offset, dirtyBytes } = block;
    // on shared memory fill() writes byte by byte: 64 KiB take 36 us, and 1 us by the kernel
    if (dirtyBytes > SHORT_BYTES) this.kernels.fill(offset, 0, dirtyBytes);
    else if (dirtyBytes > 0) this.u8.fill(0, offset, offset + dirtyBytes);
    return block.offset;
  }

  /** Bytes that are in no block, perhaps not in one piece; while other threads allocate, about so many. */
  get unused(): number {
    return unused(this.i32);
  }

  /** How many bytes are free, and in how large a piece, for messages. @throws HeapError as {@link allocate} */
  get freeText(): string {
    return tellFree(this.i32);
  }

  /**
   * Gives a block back; `offset` is what {@link allocate} returned.
   * @throws HeapError when no block in use begins there (never allocated, or freed before).
   */
  free(offset: number): void {
    release(this.i32, offset);
  }
}

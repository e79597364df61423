/**
 * The memory shared by all PEs of a node: one shared `WebAssembly.Memory`, so that typed arrays and the SIMD kernels
 * access the same bytes. Pages use no physical memory until they are touched.
 */
import { HeapError, UsageError } from "../base/errors.ts";
import { shield } from "../base/shield.ts";
import { Late } from "../base/thread/late.ts";
import { allocate, type Block, release, unused } from "./allocator.ts";
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
import { type HeapMemory, type WasmMemory, wasmMemory } from "./kernels/webassembly.ts";
import { LARGE_BLOCK_BYTES, wantLargePages } from "./pages.ts";
import type { HeapNeed } from "./refusal.ts";

/** Up to this size bytes are cleared without the kernels, which take a millisecond to load. */
const SHORT_BYTES = 1024;
const refusals = new Late("./refusal.js", import.meta.url, () => import("./refusal.ts"));

/** One node's shared memory with its views, its allocator and its kernels. */
export class Heap {
  readonly #memory: HeapMemory;
  readonly buffer: SharedArrayBuffer;
  readonly u8: Uint8Array;
  readonly i32: Int32Array;
  readonly f64: Float64Array;
  readonly #kernels: { loaded: Kernels | undefined } = { loaded: undefined };

  protected constructor(memory: HeapMemory) {
    this.#memory = memory;
    this.buffer = memory.buffer as SharedArrayBuffer;
    this.u8 = new Uint8Array(this.buffer);
    this.i32 = new Int32Array(this.buffer);
    this.f64 = new Float64Array(this.buffer);
  }

  /** Lays out a heap of whole pages at the start of a zeroed memory; something else may lie behind it. */
  static create(memory: WasmMemory, bytes: number): Heap {
    const heap = new Heap(memory);
    heap.i32[CONTROL_VERSION] = VERSION;
    heap.i32[CONTROL_LINES] = bytes / LINE;
    heap.i32[ALLOCATOR_TOP] = FIRST_LINE;
    // pairs with the load in attach(): a thread that sees the magic number sees the fields above
    Atomics.store(heap.i32, CONTROL_MAGIC, MAGIC);
    return heap;
  }

  /**
   * Attaches to a heap that another thread of this process made.
   * @throws HeapError if the memory is not a Tundish heap, or has another version of the layout
   */
  static attach(memory: HeapMemory): Heap {
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

  /** For kernels. */
  get memory(): WasmMemory {
    return wasmMemory(this.#memory);
  }

  /** Its bytes, without what is mapped behind it. */
  get bytes(): number {
    return (this.i32[CONTROL_LINES] as number) * LINE;
  }

  /** The SIMD kernels for this memory, loaded at first use. */
  get kernels(): Kernels {
    this.#kernels.loaded ??= loadKernels(this.memory);
    return this.#kernels.loaded;
  }

  /**
   * Allocates a block of at least `bytes` bytes, aligned to 128 and zeroed. Any thread may call it.
   * @param need what it is for, for the error
   * @returns the block's byte offset in the heap
   * @throws HeapError if there is no free block of that size
   */
  allocate(bytes: number, need?: HeapNeed): number {
    const { offset, dirtyBytes }: Block = this.allocateDirty(bytes, need);
    // on shared memory fill() writes byte by byte: 64 KiB take 36 us, and 1 us with the kernel
    if (dirtyBytes > SHORT_BYTES) this.kernels.fill(offset, 0, dirtyBytes);
    else if (dirtyBytes > 0) this.u8.fill(0, offset, offset + dirtyBytes);
    return offset;
  }

  /** As {@link allocate}, but the first `dirtyBytes` of the block are what they were. @throws as allocate */
  allocateDirty(bytes: number, need?: HeapNeed): Block {
    if (!(Number.isInteger(bytes) && bytes >= 0)) {
      throw new UsageError(`allocate: expected a whole number of bytes >= 0, got ${bytes}`);
    }
    const block = shield(() => allocate(this.i32, bytes));
    if (block === null) throw refusals.now.noRoom(this.i32, bytes, need);
    const { offset, dirtyBytes } = block;
    if (bytes - dirtyBytes >= LARGE_BLOCK_BYTES) wantLargePages(this.buffer, offset + dirtyBytes, offset + bytes);
    return block;
  }

  /** Number of bytes that are in no block, perhaps not contiguous; approximate while other threads allocate. */
  get unused(): number {
    return unused(this.i32);
  }

  /**
   * The number of free bytes and the size of the largest free block, and what to do where one of `bytes` bytes has no
   * room, for messages. @throws HeapError as {@link allocate}
   */
  describeFree(bytes: number, need: HeapNeed | undefined): { readonly free: string; readonly advice: string } {
    return shield(() => refusals.now.describeFree(this.i32, bytes, need));
  }

  /**
   * Frees a block; `offset` is the return value of {@link allocate}.
   * @throws HeapError if no allocated block begins there (never allocated, or freed before)
   */
  free(offset: number): void {
    shield(() => release(this.i32, offset));
  }
}

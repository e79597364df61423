/**
 * The memory of a virtual machine, shared by all its PEs, which allocate only what they use: a buffer exists from its
 * opening to its release. Pages that were never touched use no physical memory.
 */
import { HeapError } from "../../ground/base/errors.ts";
import { roundUp } from "../../ground/item/item-type.ts";
import { type Views, viewsOf } from "../../ground/item/views.ts";
import { loadKernels } from "../../ground/memory/kernels/kernels.ts";
import { type WasmMemory, wasm } from "../../ground/memory/kernels/webassembly.ts";

const ALIGN = 128;

/** A memory of zeros left by a run: each new one makes the garbage collector run, longer than a short run. */
let left: WeakRef<Zeros> | undefined;

/** A memory of zeros, and its views. */
interface Zeros {
  readonly memory: WasmMemory;
  readonly views: Views;
}

/** A page of WebAssembly, bytes. */
const PAGE = 65_536;

function zeros(bytes: number): Zeros {
  const before = left?.deref();
  left = undefined;
  const pages = Math.ceil(bytes / PAGE);
  if (before?.views.u8.length === pages * PAGE) return before;
  // kernels expect a shared one
  const memory = new wasm.Memory({ initial: pages, maximum: pages, shared: true });
  return { memory, views: viewsOf(memory.buffer) };
}

/** A block: its length, and whether it was never in use, and so is zero. */
export interface Reserved {
  readonly offset: number;
  readonly bytes: number;
  readonly isFresh: boolean;
}

export class VirtualMemory {
  readonly memory: WasmMemory;
  readonly views: Views;
  readonly #zeros: Zeros;
  readonly #bytes: number;
  /** The first line is left out, so that no buffer begins at 0. */
  #top = ALIGN;
  /** The memory below it was in use. */
  #touched = ALIGN;
  /** Freed blocks, by size: most are taken again in the same size. */
  #free = new Map<number, number[]>();
  /** Bytes in use now, and the maximum. */
  used = 0;
  peak = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
    this.#zeros = zeros(bytes);
    this.memory = this.#zeros.memory;
    this.views = this.#zeros.views;
  }

  /** @throws HeapError if the memory is full */
  take(wanted: number): number {
    return this.reserve(wanted).offset;
  }

  give(offset: number, wanted: number): void {
    this.leaveBlock(offset, sizeOf(wanted));
  }

  /** As {@link take}, with what is known of the block; {@link leaveBlock} gives it back. */
  reserve(wanted: number): Reserved {
    const bytes = sizeOf(wanted);
    const offset = this.#free.get(bytes)?.pop() ?? this.#fresh(bytes) ?? this.#split(bytes);
    if (offset === null) throw this.#full(bytes);
    const isFresh = offset >= this.#touched;
    this.#touched = Math.max(this.#touched, offset + bytes);
    this.used += bytes;
    this.peak = Math.max(this.peak, this.used);
    return { offset, bytes, isFresh };
  }

  leaveBlock(offset: number, bytes: number): void {
    this.used -= bytes;
    this.#leave(offset, bytes);
  }

  #leave(offset: number, bytes: number): void {
    const list = this.#free.get(bytes);
    if (list === undefined) this.#free.set(bytes, [offset]);
    else list.push(offset);
  }

  /** Bytes that are free, and the most of them in one piece. */
  get room(): { readonly free: number; readonly largest: number } {
    this.#merge();
    const sizes = [...this.#free].flatMap(([bytes, list]) => (list.length > 0 ? bytes : 0));
    return { free: this.unused, largest: Math.max(this.#bytes - this.#top, ...sizes) };
  }

  /** Bytes that are in no block. */
  get unused(): number {
    return this.#bytes - ALIGN - this.used;
  }

  /** Memory behind all blocks; null if there is too little. */
  #fresh(bytes: number): number | null {
    const offset = this.#top;
    if (offset + bytes > this.#bytes) return null;
    this.#top += bytes;
    return offset;
  }

  /** A part of a larger free block; if there is none, free neighbours become one. Null if that is not enough. */
  #split(bytes: number): number | null {
    const known = this.#part(bytes);
    if (known !== null) return known;
    this.#merge();
    return this.#fresh(bytes) ?? this.#part(bytes);
  }

  /** A part of the smallest free block that is large enough. */
  #part(bytes: number): number | null {
    let best = Number.POSITIVE_INFINITY;
    for (const [size, { length }] of this.#free) if (length > 0 && size >= bytes && size < best) best = size;
    const offset = this.#free.get(best)?.pop();
    if (offset === undefined) return null;
    if (best > bytes) this.#leave(offset + bytes, best - bytes);
    return offset;
  }

  #merge(): void {
    const blocks = [...this.#free].flatMap(([bytes, list]) => list.map((offset) => ({ offset, bytes })));
    blocks.sort((a, b) => a.offset - b.offset);
    this.#free = new Map();
    let [start, end] = [0, 0];
    for (const { offset, bytes } of blocks) {
      if (offset !== end) {
        if (end > start) this.#leave(start, end - start);
        start = offset;
      }
      end = offset + bytes;
    }
    if (end === this.#top) this.#top = start;
    else if (end > start) this.#leave(start, end - start);
  }

  #full(bytes: number): HeapError {
    const { free, largest } = this.room;
    return new HeapError(
      `The virtual machine's memory of ${this.#bytes} bytes is full: expected room for ${bytes}, got ${free} free, ` +
        `${largest} in the largest piece. ${MORE_MEMORY}, or use more hops or smaller buffers.`,
    );
  }

  /** Leaves it to a later run, when nothing will use it in this one. */
  leave(): void {
    // on shared memory u8.fill() writes byte by byte
    loadKernels(this.memory).fill(0, 0, this.#touched);
    left = new WeakRef(this.#zeros);
  }
}

/** The size of a block for so many bytes. */
const sizeOf = (wanted: number): number => roundUp(Math.max(1, wanted), ALIGN);

/** The advice where the memory is full. */
export const MORE_MEMORY = "Make the memory larger (memoryBytes, tundish simulate --memory; at most 4 GiB)";

/**
 * The memory of a virtual machine, shared by all its PEs, which allocate only what they use: a buffer exists from its
 * opening to its release. Pages that were never touched use no physical memory.
 */
import { HeapError } from "../base/errors.ts";
import { roundUp } from "../item/types.ts";
import { type Views, viewsOf } from "../item/views.ts";
import { loadKernels } from "../memory/kernels/kernels.ts";
import { type WasmMemory, wasm } from "../memory/kernels/webassembly.ts";

const ALIGN = 128;

/** A memory of zeros that a run has left: each new one makes the garbage collector run, which costs more than a short run. */
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
  /** Freed blocks, by size. */
  readonly #free = new Map<number, number[]>();
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
    const { offset, bytes } = this.reserve(wanted);
    this.used += bytes;
    this.peak = Math.max(this.peak, this.used);
    return offset;
  }

  /** As {@link take}, for what is no buffer; {@link leaveBlock} gives it back. */
  reserve(wanted: number): Reserved {
    const bytes = roundUp(Math.max(1, wanted), ALIGN);
    const used = this.#free.get(bytes)?.pop();
    return { offset: used ?? this.#fresh(bytes), bytes, isFresh: used === undefined };
  }

  leaveBlock(offset: number, bytes: number): void {
    const list = this.#free.get(bytes);
    if (list === undefined) this.#free.set(bytes, [offset]);
    else list.push(offset);
  }

  /** Bytes that were never in use. */
  get unused(): number {
    return this.#bytes - this.#top;
  }

  /** Memory that was never allocated before. */
  #fresh(bytes: number): number {
    const offset = this.#top;
    if (offset + bytes > this.#bytes) {
      throw new HeapError(
        `The virtual machine's memory of ${this.#bytes} bytes is full: expected room for ${bytes}, ` +
          `got ${this.#bytes - this.used} free, ${this.#bytes - offset} in the largest piece. ` +
          "Increase it (memoryBytes, tundish simulate --memory; at most 4 GiB), or use more hops or smaller buffers.",
      );
    }
    this.#top += bytes;
    return offset;
  }

  give(offset: number, wanted: number): void {
    const bytes = roundUp(Math.max(1, wanted), ALIGN);
    this.used -= bytes;
    this.leaveBlock(offset, bytes);
  }

  /** Leaves it to a later run, when nothing will use it in this one. */
  leave(): void {
    // on shared memory u8.fill() writes byte by byte
    loadKernels(this.memory).fill(0, 0, this.#top);
    left = new WeakRef(this.#zeros);
  }
}

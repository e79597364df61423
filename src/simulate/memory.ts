/**
 * The memory of a virtual machine, shared by all its PEs, which allocate only what they use: a buffer exists from its
 * opening to its release. Pages that were never touched use no physical memory.
 */
import { HeapError } from "../base/errors.ts";
import { roundUp } from "../item/types.ts";
import { type Views, viewsOf } from "../item/views.ts";

const ALIGN = 128;

/** A memory of zeros that a run has left: each new one makes the garbage collector run, which costs more than a short run. */
let left: WeakRef<Views> | undefined;

function takeViews(bytes: number): Views {
  const views = left?.deref();
  left = undefined;
  return views?.u8.length === bytes ? views : viewsOf(new ArrayBuffer(bytes));
}

export class VirtualMemory {
  readonly views: Views;
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
    this.views = takeViews(bytes);
  }

  /** @throws HeapError if the memory is full */
  take(wanted: number): number {
    const bytes = roundUp(Math.max(1, wanted), ALIGN);
    const offset = this.#free.get(bytes)?.pop() ?? this.#fresh(bytes);
    this.used += bytes;
    this.peak = Math.max(this.peak, this.used);
    return offset;
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
    const list = this.#free.get(bytes);
    if (list === undefined) this.#free.set(bytes, [offset]);
    else list.push(offset);
  }

  /** Leaves it to a later run, when nothing will use it in this one. */
  leave(): void {
    this.views.u8.fill(0, 0, this.#top);
    left = new WeakRef(this.views);
  }
}

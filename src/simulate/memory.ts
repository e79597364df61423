/**
 * The memory of a virtual machine: one for all its PEs, which take only what they use: a buffer exists from
 * its opening to its release. Pages that were never touched cost nothing.
 */
import { HeapError } from "../base/errors.ts";
import { roundUp } from "../item/types.ts";
import { type Views, viewsOf } from "../item/views.ts";

const ALIGN = 128;

export class VirtualMemory {
  readonly views: Views;
  readonly #bytes: number;
  /** The first line is left out, so that no buffer begins at 0. */
  #top = ALIGN;
  /** Pieces given back, by size. */
  readonly #free = new Map<number, number[]>();
  /** Bytes in use now and at most. */
  used = 0;
  peak = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
    this.views = viewsOf(new ArrayBuffer(bytes));
  }

  /** @throws HeapError when there is none left */
  take(wanted: number): number {
    const bytes = roundUp(Math.max(1, wanted), ALIGN);
    this.used += bytes;
    this.peak = Math.max(this.peak, this.used);
    const free = this.#free.get(bytes)?.pop();
    if (free !== undefined) return free;
    const offset = this.#top;
    this.#top += bytes;
    if (this.#top > this.#bytes) {
      throw new HeapError(
        `The virtual machine's memory of ${this.#bytes} bytes is full. Give it more (memoryBytes, at most 4 GiB), ` +
          "or take more hops or smaller buffers.",
      );
    }
    return offset;
  }

  give(offset: number, wanted: number): void {
    const bytes = roundUp(Math.max(1, wanted), ALIGN);
    this.used -= bytes;
    const list = this.#free.get(bytes);
    if (list === undefined) this.#free.set(bytes, [offset]);
    else list.push(offset);
  }
}

/** Blocks of memory that virtual PEs share: the n-th ones that PEs make with the same others belong together. */
import type { Heap } from "../../ground/memory/heap.ts";

/** Those of a world. */
export class VirtualBlocks {
  readonly #heap: Heap;
  /** Byte offsets, by the members and how many came before. */
  readonly #blocks = new Map<string, number>();
  /** By the members and one of them: how many it has made. */
  readonly #made = new Map<string, number>();

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** @param members by rank in the world @param own the one that makes it @returns the byte offset, zeroed */
  make(members: readonly number[], own: number, bytes: number): number {
    const by = `${members.join()} ${own}`;
    const number = this.#made.get(by) ?? 0;
    this.#made.set(by, number + 1);
    const key = `${members.join()}#${number}`;
    const offset = this.#blocks.get(key) ?? this.#heap.allocate(bytes);
    this.#blocks.set(key, offset);
    return offset;
  }
}

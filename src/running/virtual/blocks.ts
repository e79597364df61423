/** Memory that virtual PEs of a node share: the n-th blocks that PEs make with the same others belong together. */
import type { Heap } from "../../ground/memory/heap.ts";

/** Those of a world. */
export class VirtualBlocks {
  readonly #heap: Heap;
  /** Byte offsets, by whose they are and how many came before. */
  readonly #blocks = new Map<string, number>();
  /** By whose they are and one of these: how many it has made. */
  readonly #made = new Map<string, number>();

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** @param whose the group and the node, as text @param own the PE that makes it @returns the byte offset, zeroed */
  make(whose: string, own: number, bytes: number): number {
    const by = `${whose} ${own}`;
    const number = this.#made.get(by) ?? 0;
    this.#made.set(by, number + 1);
    const key = `${whose}#${number}`;
    const offset = this.#blocks.get(key) ?? this.#heap.allocate(bytes);
    this.#blocks.set(key, offset);
    return offset;
  }
}

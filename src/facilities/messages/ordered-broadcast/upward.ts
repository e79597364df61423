/** The way of a member's submissions and its children's: to the parent, or at the root into the log. */
import type { Heap } from "../../../ground/memory/heap.ts";
import type { Edge } from "./edge.ts";
import { copyWords, FROM, HEAD_BYTES, KIND, wordsOf } from "./layout.ts";

/** Takes parts in the order in which they are given. */
export interface Upward {
  /** Byte offset in the heap of the content of this member's next part; -1 while there is no room. A multiple of 8. */
  tryClaim(bytes: number): number;
  /** Hands over the part that was claimed last. */
  publish(kind: number, bytes: number, isLast: boolean): void;
  /** Hands over a part that a child has sent. @param at its head @returns false while there is no room */
  pass(at: number, bytes: number, isLast: boolean): boolean;
  close(): void;
}

/** Parts longer than so many words are copied by the kernel of the heap. */
const LONG_WORDS = 64;

/** To the parent. */
export class ToParent implements Upward {
  readonly #heap: Heap;
  readonly #own: number;
  readonly #parent: Edge;
  #claimed = -1;

  constructor(heap: Heap, own: number, parent: Edge) {
    this.#heap = heap;
    this.#own = own;
    this.#parent = parent;
  }

  tryClaim(bytes: number): number {
    this.#claimed = this.#parent.tryClaim(bytes);
    return this.#claimed < 0 ? -1 : this.#claimed + HEAD_BYTES;
  }

  publish(kind: number, bytes: number, isLast: boolean): void {
    this.#parent.publish(this.#claimed, this.#own, kind, bytes, isLast);
  }

  pass(at: number, bytes: number, isLast: boolean): boolean {
    const to = this.#parent.tryClaim(bytes);
    if (to < 0) return false;
    const { i32 } = this.#heap;
    const words = wordsOf(bytes);
    if (words > LONG_WORDS) this.#heap.kernels.copy(to + HEAD_BYTES, at + HEAD_BYTES, words * 4);
    else copyWords(i32, (to + HEAD_BYTES) / 4, i32, (at + HEAD_BYTES) / 4, words);
    this.#parent.publish(to, i32[at / 4 + FROM] as number, i32[at / 4 + KIND] as number, bytes, isLast);
    return true;
  }

  close(): void {}
}

/** Into the root's log. */
export interface Sequencer {
  /** Whether a part may be appended now. */
  hasRoom(): boolean;
  /** @param content byte offset in the heap */
  sequence(from: number, kind: number, content: number, bytes: number, isLast: boolean): void;
}

/** At the root. Its own parts are written in a block of the heap first, as those of the others are. */
export class IntoLog implements Upward {
  readonly #heap: Heap;
  readonly #own: number;
  readonly #log: Sequencer;
  readonly #block: number;

  /** @param most bytes of the longest part @throws HeapError */
  constructor(heap: Heap, own: number, most: number, log: Sequencer) {
    this.#heap = heap;
    this.#own = own;
    this.#log = log;
    this.#block = heap.allocate(most);
  }

  tryClaim(_bytes: number): number {
    return this.#log.hasRoom() ? this.#block : -1;
  }

  publish(kind: number, bytes: number, isLast: boolean): void {
    this.#log.sequence(this.#own, kind, this.#block, bytes, isLast);
  }

  pass(at: number, bytes: number, isLast: boolean): boolean {
    if (!this.#log.hasRoom()) return false;
    const { i32 } = this.#heap;
    const from = i32[at / 4 + FROM] as number;
    this.#log.sequence(from, i32[at / 4 + KIND] as number, at + HEAD_BYTES, bytes, isLast);
    return true;
  }

  close(): void {
    this.#heap.free(this.#block);
  }
}

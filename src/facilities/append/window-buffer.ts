/** An append buffer as its owner sees it, where pushes come through a window (window-layout.ts). */
import type { Heap } from "../../ground/memory/heap.ts";
import type { Window } from "../../machine/mpi/window.ts";
import type { OwnBuffer } from "./own-buffer.ts";
import { BASE, DONE, HEAD, HELD, MESSAGES, RESERVED } from "./window-layout.ts";

export class WindowBuffer implements OwnBuffer {
  readonly start: number;
  readonly #length: number;
  readonly #words: BigInt64Array;
  readonly #window: Pick<Window, "sync">;
  /** The last RESERVED that was no HELD, and what was found complete. */
  #reserved = 0n;
  #completed = 0;
  #messagesBefore = 0n;

  /** @param at byte offset in the heap of its part, which is zeroed */
  constructor(heap: Heap, at: number, length: number, window: Pick<Window, "sync">) {
    this.start = at + HEAD;
    this.#length = length;
    this.#words = new BigInt64Array(heap.buffer, at, HEAD / 8);
    this.#window = window;
  }

  /** Changes when a push does. */
  get trace(): bigint {
    return this.#load(RESERVED) ^ (this.#load(DONE) << 32n);
  }

  get offset(): number {
    this.#look();
    // while RESERVED is held more may be written than was reserved when it was seen last
    return Math.max(this.#until(this.#load(DONE)), this.#until(this.#reserved));
  }

  get completed(): number {
    const done = this.#until(this.#load(DONE));
    if (done > this.#completed) {
      this.#window.sync();
      this.#completed = done;
    }
    return this.#completed;
  }

  get messages(): number {
    return Number(this.#load(MESSAGES) - this.#messagesBefore);
  }

  reset(): boolean {
    // nothing is changed while a writer holds it
    if (!this.#look()) return false;
    const before = this.#reserved;
    // pairs with the writers' read of BASE beside their access to RESERVED
    Atomics.store(this.#words, BASE / 8, before);
    this.#messagesBefore = this.#load(MESSAGES);
    this.#completed = 0;
    return this.#look() && this.#reserved === before;
  }

  pending(): readonly { readonly writer: number; readonly bytes: number }[] {
    const done = this.#load(DONE);
    if (!this.#look()) return [{ writer: -1, bytes: -1 }];
    return done >= this.#reserved ? [] : [{ writer: -1, bytes: Number(this.#reserved - done) }];
  }

  /** Writers wake nobody: the owner looks. */
  await(): void {}

  /** @returns false while a writer holds RESERVED */
  #look(): boolean {
    const reserved = this.#load(RESERVED);
    if (reserved === HELD) return false;
    this.#reserved = reserved;
    return true;
  }

  /** Bytes of the buffer up to a place. */
  #until(place: bigint): number {
    return Math.max(0, Math.min(Number(place - this.#load(BASE)), this.#length));
  }

  /** Pairs with the accesses of the writers through the window. */
  #load(at: number): bigint {
    return Atomics.load(this.#words, at / 8);
  }
}

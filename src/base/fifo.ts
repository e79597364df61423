/** A line: first in, first out. What has left is cut off now and then, so that each step takes the same time. */

/** Entries that have left before the list is cut. */
const FORGET = 4096;

export class Fifo<T> {
  #entries: T[] = [];
  /** Entries before this one have left. */
  #next = 0;

  get length(): number {
    return this.#entries.length - this.#next;
  }

  /** The first; undefined when there is none. */
  get first(): T | undefined {
    return this.#entries[this.#next];
  }

  add(entry: T): void {
    this.#entries.push(entry);
  }

  /** The first one leaves, and there is one. */
  leave(): void {
    if (++this.#next < FORGET && this.#next < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#next);
    this.#next = 0;
  }

  clear(): void {
    this.#entries = [];
    this.#next = 0;
  }
}

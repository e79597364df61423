/**
 * A first-in, first-out queue. Removed entries are cut off the array in batches, so that each operation takes constant
 * time on average.
 */

/** Removed entries before the array is cut. */
const FORGET = 4096;

export class Fifo<T> {
  #entries: T[] = [];
  /** Entries before this index were removed. */
  #next = 0;

  get length(): number {
    return this.#entries.length - this.#next;
  }

  /** The first entry; undefined if the queue is empty. */
  get first(): T | undefined {
    return this.#entries[this.#next];
  }

  add(entry: T): void {
    this.#entries.push(entry);
  }

  /** Removes the first entry. The queue must not be empty. */
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

/** A first-in, first-out queue: a chain of short arrays, so that however long it is nothing is ever copied. */

/** Entries of an array. */
const CHUNK = 1024;

interface Chunk<T> {
  readonly entries: (T | undefined)[];
  next: Chunk<T> | null;
}

const chunk = <T>(): Chunk<T> => ({ entries: [], next: null });

export class Fifo<T> {
  #head: Chunk<T> = chunk();
  #tail: Chunk<T> = this.#head;
  /** Entries of the head that were removed. */
  #removed = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The first entry; undefined if the queue is empty. */
  get first(): T | undefined {
    return this.#length > 0 ? this.#head.entries[this.#removed] : undefined;
  }

  add(entry: T): void {
    if (this.#tail.entries.length === CHUNK) {
      this.#tail.next = chunk();
      this.#tail = this.#tail.next;
    }
    this.#tail.entries.push(entry);
    this.#length++;
  }

  /** Removes the first entry. The queue must not be empty. */
  leave(): void {
    const { entries, next } = this.#head;
    if (--this.#length === 0) {
      entries.length = 0;
      this.#removed = 0;
      return;
    }
    entries[this.#removed++] = undefined;
    if (this.#removed < CHUNK) return;
    this.#head = next as Chunk<T>;
    this.#removed = 0;
  }

  clear(): void {
    this.#head = chunk();
    this.#tail = this.#head;
    this.#removed = 0;
    this.#length = 0;
  }
}

/** A line in which things wait, linked through themselves: each is in one line at most. */

/** An element of a line. */
export interface Standing<T> {
  /** The one behind it. */
  next: T | null;
}

export class Line<T extends Standing<T>> {
  first: T | null = null;
  length: number = 0;
  #last: T | null = null;

  push(one: T): void {
    if (this.#last === null) this.first = one;
    else this.#last.next = one;
    this.#last = one;
    this.length++;
  }

  shift(): T | null {
    const one = this.first;
    if (one === null) return null;
    this.first = one.next;
    if (this.first === null) this.#last = null;
    one.next = null;
    this.length--;
    return one;
  }
}

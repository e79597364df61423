/** A priority queue of events in virtual time: a binary heap; ties are ordered by a random number of each event. */

/** An event. */
export interface Event {
  /** Virtual time, ns. */
  readonly time: number;
  /** Among events of the same time, the one with the smallest tie is first. */
  readonly tie: number;
  run(): void;
}

const before = (a: Event, b: Event): boolean => a.time < b.time || (a.time === b.time && a.tie < b.tie);

export class EventQueue {
  readonly #heap: Event[] = [];

  get size(): number {
    return this.#heap.length;
  }

  push(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(event, heap[parent])) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = event;
  }

  pop(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++;
      if (!before(heap[child], last)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

/** A priority queue of PEs by the time when they are free: the earliest first. A binary heap (Williams 1964). */

/** A PE, and the time when it is free. */
export interface Free {
  readonly at: number;
  readonly rank: number;
}

/** The queue. */
export class Queue {
  readonly #items: Free[] = [];

  constructor(items: readonly Free[]) {
    for (const item of items) this.push(item);
  }

  push(item: Free): void {
    const items = this.#items;
    let i = items.push(item) - 1;
    for (; i > 0; ) {
      const up = (i - 1) >> 1;
      if ((items[up] as { at: number }).at <= item.at) break;
      items[i] = items[up] as Free;
      i = up;
    }
    items[i] = item;
  }

  pop(): Free {
    const items = this.#items;
    const first = items[0] as Free;
    const last = items.pop() as Free;
    if (items.length === 0) return first;
    let i = 0;
    for (;;) {
      let next = 2 * i + 1;
      if (next >= items.length) break;
      if (
        next + 1 < items.length &&
        (items[next + 1] as { at: number }).at < (items[next] as { at: number }).at
      )
        next++;
      if ((items[next] as { at: number }).at >= last.at) break;
      items[i] = items[next] as Free;
      i = next;
    }
    items[i] = last;
    return first;
  }
}

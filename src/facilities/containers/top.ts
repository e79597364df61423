/** The largest counts: of a PE, and of all. */
import TinyQueue from "tinyqueue";
import { compareKeys } from "./order.ts";

/** A key and its count. */
export type Counted<K> = [key: K, count: number];

/** Larger counts first; of equal ones the smaller key. */
const before = <K>([a, counted]: Counted<K>, [b, others]: Counted<K>): number => others - counted || compareKeys(a, b);

/** Collects the first k of many. */
export class Top<K> {
  readonly #most: number;
  /** The last of them is the first to leave. */
  readonly #queue = new TinyQueue<Counted<K>>([], (a, b) => before(b, a));

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether a key with this count may be among them: it need not be made otherwise. */
  wants(count: number): boolean {
    const queue = this.#queue;
    if (queue.length < this.#most) return true;
    const last = queue.peek();
    return last !== undefined && count >= last[1];
  }

  offer(key: K, count: number): void {
    const queue = this.#queue;
    queue.push([key, count]);
    if (queue.length > this.#most) queue.pop();
  }

  /** All of them in order. */
  list(): Counted<K>[] {
    return [...this.#queue.data].sort(before);
  }
}

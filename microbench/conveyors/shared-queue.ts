/**
 * A simple queue: a ring in a SharedArrayBuffer for each receiver. A sender claims a slot by Atomics.add, writes the
 * item and publishes it by Atomics.store; the receiver polls.
 *
 *     head: read up to here            tail: claimed up to here
 *       ▼                                ▼
 *     ┌───┬───┬───┬───┬───┬───┬───┬───┬───┐
 *     │ ✓ │ ✓ │   │ ✓ │ ✓ │   │ … │   │   │   ✓: published
 *     └───┴───┴───┴───┴───┴───┴───┴───┴───┘
 */

const PLACES = 4096;
/** Words of the counters, a cache line or two apart; then a word for each slot. */
const HEAD = 0;
const TAIL = 32;
const PUBLISHED = 64;
const WORDS = PUBLISHED + PLACES;

/** Memory for the queue of one receiver. @param doubles in an item */
export const queueMemory = (doubles: number): SharedArrayBuffer =>
  new SharedArrayBuffer(4 * WORDS + 8 * doubles * PLACES);

/** One queue, as seen by one thread. */
export class SharedQueue {
  readonly #words: Int32Array;
  readonly #items: Float64Array;
  readonly #doubles: number;
  /** Items read, by the receiver. */
  #read = 0;

  constructor(memory: SharedArrayBuffer, doubles: number) {
    this.#words = new Int32Array(memory, 0, WORDS);
    this.#items = new Float64Array(memory, 4 * WORDS);
    this.#doubles = doubles;
  }

  /** Sends an item whose first number is `value`; calls `idle` while there is no room. */
  push(value: number, idle: () => void): void {
    const claimed = Atomics.add(this.#words, TAIL, 1);
    while (claimed - Atomics.load(this.#words, HEAD) >= PLACES) idle();
    const place = claimed % PLACES;
    const at = place * this.#doubles;
    this.#items[at] = value;
    for (let i = 1; i < this.#doubles; i++) this.#items[at + i] = i;
    Atomics.store(this.#words, PUBLISHED + place, claimed + 1);
  }

  /** Reads the available items; returns the sum of their first numbers. */
  drain(): number {
    let sum = 0;
    for (;;) {
      const place = this.#read % PLACES;
      if (Atomics.load(this.#words, PUBLISHED + place) !== this.#read + 1) return sum;
      sum += this.#items[place * this.#doubles];
      this.#read++;
      Atomics.store(this.#words, HEAD, this.#read);
    }
  }

  /** Whether the receiver has read all claimed slots. */
  get isEmpty(): boolean {
    return Atomics.load(this.#words, TAIL) === this.#read;
  }
}

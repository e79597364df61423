/**
 * Signal: a message without payload, a word that one PE raises and one or many PEs wait for (Smelt's zero-payload
 * notify). The n-th wait passes once it was raised n times. It has a line of its own, or shares it with the signal of
 * its waiter for its writer (collectives/team/link-map.ts).
 *
 *     byte 0     ┌──────────────────────────────┬────────┐
 *                │ tag, 24 bits │ count, 8 bits │ unused │  written by one PE only
 *                └──────────────────────────────┴────────┘
 *
 * One word, and so one store: two would leave the core one after the other, and the waiter takes the
 * cache line away in between (a barrier of 58 ns instead of 51).
 *
 * Limits: one writer; no flow control, so the protocol above must keep the writer at most one raise ahead
 * of the waiter, as a barrier does. The tag of a raise is gone after the next one.
 */
import type { Heap } from "../memory/heap.ts";
import { keepsOrder } from "../memory/order.ts";
import type { Condition } from "../wait/condition.ts";
import type { Wakers } from "../wait/wakers.ts";

const COUNT_BITS = 8;
const COUNT_MASK = (1 << COUNT_BITS) - 1;

/** The word after `count` raises, the last one with `tag`. */
const wordOf = (count: number, tag: number): number => (tag << COUNT_BITS) | (count & COUNT_MASK);

/** Whether a word shows `count` raises or more: the difference survives the wrap of the counter. */
const shows = (word: number, count: number): boolean => (word - count) << (32 - COUNT_BITS) >= 0;

/** The writer's end of a signal with one waiter. */
export class SignalSender {
  readonly #word: number;
  readonly #wakers: Wakers;
  readonly #waker: number;
  #count = 0;

  constructor(offset: number, peer: number, wakers: Wakers) {
    this.#word = offset >>> 2;
    this.#wakers = wakers;
    this.#waker = wakers.word(peer);
  }

  /** Lets one more wait pass; of `tag`, the low 24 bits go with it. */
  raise(tag: number): void {
    this.#count = (this.#count + 1) | 0;
    // pairs with the load in SignalReceiver.spin(): what was written before it is seen after the wait
    this.#wakers.post(this.#word, wordOf(this.#count, tag), this.#waker);
  }
}

/** The waiter's end of a signal. */
export class SignalReceiver implements Condition {
  readonly peer: number;
  readonly #i32: Int32Array;
  readonly #word: number;
  readonly #ordered = keepsOrder();
  #next = 1;
  /** The word as it was last seen. */
  #seen = 0;

  constructor(heap: Heap, offset: number, peer: number) {
    this.peer = peer;
    this.#i32 = heap.i32;
    this.#word = offset >>> 2;
  }

  /** Whether it was raised once more than {@link pass} was called. */
  ready(): boolean {
    return this.spin(1);
  }

  spin(looks: number): boolean {
    const next = this.#next;
    // the count only grows, so what was seen once need not be looked at again
    if (shows(this.#seen, next)) return true;
    const i32 = this.#i32;
    const word = this.#word;
    // pairs with the store in SignalSender.raise()
    let seen = this.#ordered === true ? i32[word] : Atomics.load(i32, word);
    for (let i = 1; i < looks && !shows(seen, next); i++) seen = Atomics.load(i32, word);
    this.#seen = seen;
    return shows(seen, next);
  }

  /**
   * Goes on to the next raise; whether this one carried `tag`, or is not to be seen any more because the
   * writer has raised again. Only when {@link ready}.
   */
  pass(tag: number): boolean {
    const next = this.#next;
    this.#next = (next + 1) | 0;
    return this.#seen === wordOf(next, tag) || shows(this.#seen, next + 1);
  }
}

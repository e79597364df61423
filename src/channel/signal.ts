/**
 * Signal: a message without payload, a counter in a line of its own that one PE raises and one or many
 * PEs wait for (Smelt's zero-payload notify). The n-th wait passes once it was raised n times.
 *
 *     byte 0     ┌─────────────┬────────────────────┬───────────────────┬────────┐
 *                │ COUNT i32   │ TAG of even counts │ TAG of odd counts │ unused │  written by one PE only
 *                └─────────────┴────────────────────┴───────────────────┴────────┘
 *
 * Limits: one writer; no flow control, so the protocol above must keep the writer at most one raise ahead
 * of the waiter, as a barrier does: then a tag stays until it has been read.
 */
import type { Heap } from "../memory/heap.ts";
import { LINE } from "../memory/heap-layout.ts";
import type { Bells } from "../wait/bells.ts";
import type { Condition } from "../wait/condition.ts";
import { AWAKE } from "../wait/layout.ts";

/** Word of the tag of an even count; that of an odd one follows. */
const TAG = 1;

/** Bytes of a signal. */
export const SIGNAL_BYTES: number = LINE;

/** The writer's end of a signal with one waiter. */
export class SignalSender {
  readonly #i32: Int32Array;
  readonly #word: number;
  readonly #bells: Bells;
  readonly #bell: number;
  #count = 0;

  constructor(heap: Heap, offset: number, peer: number, bells: Bells) {
    this.#i32 = heap.i32;
    this.#word = offset >>> 2;
    this.#bells = bells;
    this.#bell = bells.word(peer);
  }

  /** Lets one more wait pass; `tag` is 32 bits of the caller's own. */
  raise(tag: number): void {
    this.#count = (this.#count + 1) | 0;
    this.#i32[this.#word + TAG + (this.#count & 1)] = tag;
    // pairs with the load in SignalReceiver.ready(): what was written before it is seen after the wait
    Atomics.store(this.#i32, this.#word, this.#count);
    // pairs with Bells.announce(): the waiter may have gone to sleep
    if (Atomics.load(this.#i32, this.#bell) !== AWAKE) this.#bells.wake(this.#bell);
  }
}

/** The waiter's end of a signal. */
export class SignalReceiver implements Condition {
  readonly peer: number;
  readonly #i32: Int32Array;
  readonly #word: number;
  #next = 1;
  /** The highest count that was seen. */
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
    // the counter only grows, so what was seen once need not be looked at again
    if (((this.#seen - next) | 0) >= 0) return true;
    const i32 = this.#i32;
    const word = this.#word;
    for (let i = 0; i < looks; i++) {
      // pairs with the store in SignalSender.raise(); the difference survives the wrap of the counter
      const count = Atomics.load(i32, word);
      if (((count - next) | 0) >= 0) {
        this.#seen = count;
        return true;
      }
    }
    return false;
  }

  /** Goes on to the next raise; whether this one carried `tag`. Only when {@link ready}. */
  pass(tag: number): boolean {
    const same = this.#i32[this.#word + TAG + (this.#next & 1)] === tag;
    this.#next = (this.#next + 1) | 0;
    return same;
  }
}

/**
 * The wakers of a node: a PE that has waited long enough goes to sleep on its own waker, and whoever
 * makes something happen for it notifies.
 *
 * No wake-up is lost. The sleeper stores its waker and then looks at what it waits for once more; the
 * other side stores what was waited for and then looks at the waker. All four are sequentially
 * consistent, so at least one of the two sees the other (Dekker's rule).
 *
 * On x86 the other side's store is a plain one and a fence after it, on a word that nobody else uses:
 * the word then leaves the core together with what was written beside it. An atomic store waits until
 * those writes have left, and by then the reader has often taken the cache line away again: 9 ns of 61.
 */
import { setting } from "../base/settings.ts";
import { type Futex, futex } from "./futex.ts";
import { ASLEEP_IN_ATOMICS, ASLEEP_IN_FUTEX, AWAKE, DEPARTED, PE_PHASE, PE_WAKER, peWord } from "./layout.ts";

/** Processors whose stores reach the other cores in the order of the program; no compiler here changes it. */
const ORDERED_STORES = ["x64", "ia32"];

/** Bytes of the fence's own memory, and its word in there: alone in its cache line wherever that lies. */
const FENCE_BYTES = 256;
const FENCE = 32;

/** The wakers and phases of all PEs, seen from one thread. */
export class Wakers {
  readonly pes: number;
  readonly #i32: Int32Array;
  readonly #offset: number;
  readonly #sleeper: Futex | null;
  /** Whether a plain store and a fence publish. Where not (ARM, or by the setting), an atomic store does. */
  readonly #ordered = setting("orderedStores") === "on" && ORDERED_STORES.includes(process.arch);
  readonly #fence = new Int32Array(new SharedArrayBuffer(FENCE_BYTES));

  /**
   * @param offset byte offset of the wait area (layout.ts) in the heap
   * @param sleeper how this thread sleeps: by futex where there is one, by Atomics.wait when null
   * @throws UsageError for a TUNDISH_ORDERED_STORES that is neither on nor off
   */
  constructor(i32: Int32Array, offset: number, pes: number, sleeper: Futex | null = futex()) {
    this.pes = pes;
    this.#i32 = i32;
    this.#offset = offset;
    this.#sleeper = sleeper;
  }

  /** Word index of a PE's waker, for hot code that looks at it without a call. */
  word(pe: number): number {
    return peWord(this.#offset, pe) + PE_WAKER;
  }

  /**
   * Stores a word that other PEs may wait for, and with it everything that was written before; pairs with
   * their Atomics.load of the word. Look at their wakers afterwards, or use {@link post}.
   */
  publish(word: number, value: number): void {
    if (this.#ordered) {
      this.#i32[word] = value;
      // no later load, such as that of a waker, comes before the store: pairs with announce()
      Atomics.store(this.#fence, FENCE, 0);
    } else {
      Atomics.store(this.#i32, word, value);
    }
  }

  /** As {@link publish}, for one PE, whose waker is the word `waker`; wakes it if it sleeps. */
  post(word: number, value: number, waker: number): void {
    this.publish(word, value);
    if (Atomics.load(this.#i32, waker) !== AWAKE) this.wake(waker);
  }

  /** Wakes a PE if it sleeps. Call it after the store that the PE may be waiting for. */
  notify(pe: number): void {
    const word = peWord(this.#offset, pe) + PE_WAKER;
    // pairs with the store in announce(): see the head of this file
    if (Atomics.load(this.#i32, word) !== AWAKE) this.wake(word);
  }

  /** The rest of {@link notify}, for code that has looked at the waker itself. */
  wake(word: number): void {
    const asleep = Atomics.exchange(this.#i32, word, AWAKE);
    // whoever sleeps in a futex shows that this process has one
    if (asleep === ASLEEP_IN_FUTEX) futex()?.wake(this.#i32.subarray(word, word + 1));
    else if (asleep === ASLEEP_IN_ATOMICS) Atomics.notify(this.#i32, word, 1);
  }

  /** Wakes everybody; for the end of the world. */
  notifyAll(): void {
    for (let pe = 0; pe < this.pes; pe++) this.notify(pe);
  }

  /** Says that `pe` is about to sleep; it must look once more at what it waits for, then {@link sleep}. */
  announce(pe: number): void {
    const how = this.#sleeper ? ASLEEP_IN_FUTEX : ASLEEP_IN_ATOMICS;
    // pairs with the load in notify()
    Atomics.store(this.#i32, peWord(this.#offset, pe) + PE_WAKER, how);
  }

  /** Sleeps until notified, at most `ms`. Returns at once when the waker was notified since {@link announce}. */
  sleep(pe: number, ms: number): void {
    const word = peWord(this.#offset, pe) + PE_WAKER;
    if (this.#sleeper) this.#sleeper.wait(this.#i32.subarray(word, word + 1), ASLEEP_IN_FUTEX, ms);
    else Atomics.wait(this.#i32, word, ASLEEP_IN_ATOMICS, ms);
    Atomics.store(this.#i32, word, AWAKE);
  }

  /** Takes the announcement back: `pe` does not sleep after all. */
  stay(pe: number): void {
    Atomics.store(this.#i32, peWord(this.#offset, pe) + PE_WAKER, AWAKE);
  }

  /** Lets another ready thread have the core, where the system offers that. */
  yield(): void {
    this.#sleeper?.yield();
  }

  /** Says that `pe` will send nothing more, and wakes whoever may wait for it. */
  depart(pe: number): void {
    // after everything the PE has sent; pairs with the load in departed()
    Atomics.store(this.#i32, peWord(this.#offset, pe) + PE_PHASE, DEPARTED);
    this.notifyAll();
  }

  /** Whether `pe` has departed. */
  departed(pe: number): boolean {
    return Atomics.load(this.#i32, peWord(this.#offset, pe) + PE_PHASE) === DEPARTED;
  }
}

/**
 * The wakers of a node: a PE that has waited long enough sleeps on its own waker, and a PE that makes an awaited
 * condition true notifies it.
 *
 * No wake-up is lost. The sleeper stores its waker and then loads the condition once more; the notifier stores the
 * condition and then loads the waker. All four accesses are sequentially consistent, so at least one of the two sees
 * the other's store (Dekker's rule).
 *
 * On x86 the notifier uses a plain store, so that the condition's word leaves the core together with the data written
 * beside it. An atomic store would wait until that data has left, and by then the reader has often taken the cache line
 * away again: 9 ns of 61. What orders the load of the waker after it is, in this order of preference,
 *
 * - the sleeper: before it looks at the condition again it makes all threads of the process fence (membarrier.ts),
 *   which takes it 2 us and the notifier nothing: with {@link Wakers.leaveFencesToSleepers};
 * - a fence of the notifier, on a word of its own: 10 to 20 ns of 80, more where the CPUs are far from each other.
 *
 * The word FENCES of the wait area says which. A sleeper looks at it after it has stored its waker, a notifier before
 * it loads the waker. So the change to the first kind loses no wake-up.
 */
import { keepsOrder } from "../memory/order.ts";
import { type Futex, futex } from "./futex.ts";
import {
  ASLEEP_IN_ATOMICS,
  ASLEEP_IN_FUTEX,
  AWAKE,
  BETWEEN_RUNS,
  DEPARTED,
  FENCES,
  NOTIFIERS_FENCE,
  PE_OPEN,
  PE_PHASE,
  PE_WAKER,
  PHASE_LOST,
  peWord,
  RETURNED,
  SLEEPERS_FENCE,
} from "./layout.ts";
import { Losses } from "./losses.ts";
import { type Membarrier, membarrier } from "./membarrier.ts";
import { pesText } from "./who.ts";
import { Yielding } from "./yielding.ts";

/** Bytes of the fence's own memory, and its word in there: alone in its cache line at any alignment. */
const FENCE_BYTES = 256;
const FENCE = 32;

/** The wakers and phases of all PEs, as seen by one thread. */
export class Wakers {
  readonly pes: number;
  readonly #i32: Int32Array;
  readonly #offset: number;
  readonly #sleeper: Futex | null;
  readonly #membarrier: Membarrier | null;
  readonly #fences: number;
  readonly #ordered = keepsOrder();
  readonly #fence = new Int32Array(new SharedArrayBuffer(FENCE_BYTES));
  /** PEs that are lost, in a world that goes on without them. */
  readonly losses: Losses;
  /** How this thread yields its core, and whether that pays. */
  readonly yielding: Yielding = new Yielding(() => this.yield());

  /**
   * @param offset byte offset of the wait area (layout.ts) in the heap
   * @param sleeper how this thread sleeps: by futex if available, by Atomics.wait if null
   * @param barrier how it makes all threads fence before it sleeps; null if it cannot
   * @throws UsageError for a TUNDISH_ORDERED_STORES other than on and off
   */
  constructor(
    i32: Int32Array,
    offset: number,
    pes: number,
    sleeper: Futex | null = futex(),
    barrier: Membarrier | null = membarrier(),
  ) {
    this.pes = pes;
    this.#i32 = i32;
    this.#offset = offset;
    this.#sleeper = sleeper;
    this.#membarrier = barrier;
    this.#fences = offset / 4 + FENCES;
    this.losses = new Losses(i32, offset, pes);
  }

  /** From now on sleepers make the others fence, if the system can. Takes some 15 ms, once in a process. */
  leaveFencesToSleepers(): void {
    // pairs with the loads in publish() and announce()
    if (this.#ordered && this.#membarrier?.register()) Atomics.store(this.#i32, this.#fences, SLEEPERS_FENCE);
  }

  /** Word index of a PE's waker, for hot code that reads it without a call. */
  word(pe: number): number {
    return peWord(this.#offset, pe) + PE_WAKER;
  }

  /**
   * Stores a word that other PEs may wait for, and publishes everything written before; pairs with their Atomics.load
   * of the word. Check their wakers afterwards, or use {@link post}.
   */
  publish(word: number, value: number): void {
    const i32 = this.#i32;
    if (this.#ordered === true) {
      i32[word] = value;
      this.#fenceIfNeeded();
    } else {
      Atomics.store(i32, word, value);
    }
  }

  /** As {@link publish}, for one PE, whose waker is the word `waker`; wakes it if it sleeps. */
  post(word: number, value: number, waker: number): void {
    this.publish(word, value);
    this.check(waker);
  }

  /** No later load, such as that of a waker, is reordered before a plain store: pairs with announce(). */
  #fenceIfNeeded(): void {
    if (this.#i32[this.#fences] === NOTIFIERS_FENCE) Atomics.store(this.#fence, FENCE, 0);
  }

  /**
   * Loads a word that a PE stores before it may sleep, after stores of this thread that the PE may wait for: plain ones
   * where stores keep their order, else atomic ones. As with wakers, at least one of the two sees the other's store.
   */
  look(word: number): number {
    if (this.#ordered !== true) return Atomics.load(this.#i32, word);
    this.#fenceIfNeeded();
    return this.#i32[word] as number;
  }

  /** Wakes a PE if it sleeps. Call it after the store that the PE may wait for. */
  notify(pe: number): void {
    this.check(peWord(this.#offset, pe) + PE_WAKER);
  }

  /** As {@link notify}, for the PE whose waker is the word `waker`. */
  check(waker: number): void {
    const i32 = this.#i32;
    // pairs with the store in announce(): see the head of this file. An atomic load is a call in V8: 12 ns
    if ((this.#ordered === true ? i32[waker] : Atomics.load(i32, waker)) !== AWAKE) this.#wake(waker);
  }

  #wake(word: number): void {
    const asleep = Atomics.exchange(this.#i32, word, AWAKE);
    // a PE that sleeps in a futex proves that this process has one
    if (asleep === ASLEEP_IN_FUTEX) futex()?.wake(this.#i32.subarray(word, word + 1));
    else if (asleep === ASLEEP_IN_ATOMICS) Atomics.notify(this.#i32, word, 1);
  }

  /** Wakes all PEs, at the end of the world. */
  notifyAll(): void {
    for (let pe = 0; pe < this.pes; pe++) this.notify(pe);
  }

  /** Announces that `pe` is about to sleep. It must poll its condition once more, then {@link sleep}. */
  announce(pe: number, how: number = this.#sleeper ? ASLEEP_IN_FUTEX : ASLEEP_IN_ATOMICS): void {
    const i32 = this.#i32;
    // pairs with the load in check()
    Atomics.store(i32, peWord(this.#offset, pe) + PE_WAKER, how);
    // pairs with the store in leaveFencesToSleepers()
    if (Atomics.load(i32, this.#fences) === NOTIFIERS_FENCE || this.#membarrier?.issue()) return;
    // this thread cannot make the others fence, so they must from now on
    Atomics.store(i32, this.#fences, NOTIFIERS_FENCE);
  }

  /** Sleeps until notified, at most `ms`. Returns at once if the waker was notified since {@link announce}. */
  sleep(pe: number, ms: number): void {
    const word = peWord(this.#offset, pe) + PE_WAKER;
    if (this.#sleeper) this.#sleeper.wait(this.#i32.subarray(word, word + 1), ASLEEP_IN_FUTEX, ms);
    else Atomics.wait(this.#i32, word, ASLEEP_IN_ATOMICS, ms);
    Atomics.store(this.#i32, word, AWAKE);
  }

  /** Withdraws the announcement: `pe` does not sleep. */
  stay(pe: number): void {
    Atomics.store(this.#i32, peWord(this.#offset, pe) + PE_WAKER, AWAKE);
  }

  /** Yields the core to another ready thread, if the system supports it; waits do it by {@link yielding}. */
  yield(): void {
    this.#sleeper?.yield();
  }

  /** Marks that `pe` will send nothing more, and wakes all PEs that may wait for it. */
  depart(pe: number): void {
    this.#depart(pe, DEPARTED);
  }

  /** The same, in this run of an open world. */
  departUntilNextRun(pe: number): void {
    this.#depart(pe, BETWEEN_RUNS);
  }

  #depart(pe: number, how: number): void {
    const phase = peWord(this.#offset, pe) + PE_PHASE;
    // after everything the PE has sent; pairs with the loads in departed() and hasLeft(). A PE that is lost stays so
    for (const old of [0, RETURNED, BETWEEN_RUNS]) Atomics.compareExchange(this.#i32, phase, old, how);
    this.notifyAll();
  }

  /** Marks that the main of `pe` has returned, and wakes all PEs that may wait for a call of it. */
  returned(pe: number): void {
    // pairs with the load in firstReturned(); it may have departed since
    Atomics.compareExchange(this.#i32, peWord(this.#offset, pe) + PE_PHASE, 0, RETURNED);
    this.notifyAll();
  }

  /** Another run begins, of PEs that have all returned: only the lost count as departed. No PE may be running. */
  renew(): void {
    for (let pe = 0; pe < this.pes; pe++) {
      const phase = peWord(this.#offset, pe) + PE_PHASE;
      // pairs with the loads in hasReturned() and departed(), by PEs that get their next run after this
      for (const old of [BETWEEN_RUNS, RETURNED]) Atomics.compareExchange(this.#i32, phase, old, 0);
    }
  }

  /** The PEs have tickets, and no threads yet. */
  openSeats(): void {
    for (let pe = 0; pe < this.pes; pe++) Atomics.store(this.#i32, peWord(this.#offset, pe) + PE_OPEN, 1);
  }

  /** A thread joins as `pe`. @returns whether it is the first to do so */
  takeSeat(pe: number): boolean {
    // pairs with the same exchange by another thread with this ticket: only one thread gets the seat
    return Atomics.exchange(this.#i32, peWord(this.#offset, pe) + PE_OPEN, 0) === 1;
  }

  /** Whether no thread has joined as `pe` yet. */
  isOpen(pe: number): boolean {
    // pairs with the exchange in takeSeat()
    return Atomics.load(this.#i32, peWord(this.#offset, pe) + PE_OPEN) === 1;
  }

  /**
   * The PEs that no thread has joined as, as a sentence to put behind others; "" if there are none.
   * @param among by rank in the world: those that are waited for. @default all
   */
  openText(among: Iterable<number> = Array(this.pes).keys()): string {
    const open = [...among].filter((pe) => this.isOpen(pe));
    if (open.length === 0) return "";
    return ` ${pesText(open)} ${open.length > 1 ? "have" : "has"} not joined: no thread has used the ticket.`;
  }

  /** A PE that makes no further call: `peer`, or one of `peers` if it is -1; -1 for none. */
  firstReturned(peer: number, peers: readonly number[] | undefined): number {
    if (peer >= 0) return this.hasReturned(peer) ? peer : -1;
    if (peers === undefined) return -1;
    for (const one of peers) if (this.hasReturned(one)) return one;
    return -1;
  }

  /** Whether the main of `pe` has returned. */
  hasReturned(pe: number): boolean {
    return Atomics.load(this.#i32, peWord(this.#offset, pe) + PE_PHASE) !== 0;
  }

  /** Whether `pe` has departed, or is lost. */
  departed(pe: number): boolean {
    const phase = Atomics.load(this.#i32, peWord(this.#offset, pe) + PE_PHASE);
    return phase === DEPARTED || phase === PHASE_LOST || phase === BETWEEN_RUNS;
  }

  /** Whether `pe` has returned from this run of an open world. */
  isBetweenRuns(pe: number): boolean {
    // pairs with the exchange in departUntilNextRun(): what it has sent before is there
    return Atomics.load(this.#i32, peWord(this.#offset, pe) + PE_PHASE) === BETWEEN_RUNS;
  }

  /** Whether `pe` has departed for good, or is lost: it sends nothing more in later runs either. */
  hasLeft(pe: number): boolean {
    const phase = Atomics.load(this.#i32, peWord(this.#offset, pe) + PE_PHASE);
    return phase === DEPARTED || phase === PHASE_LOST;
  }
}

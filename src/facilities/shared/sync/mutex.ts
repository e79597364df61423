/**
 * Mutual exclusion: what locks, reader-writer locks and `once` are made of.
 *
 * A lock that nobody waits for is taken by one compare-exchange and given back by a store. A queue lock where some
 * wait: each PE spins on a line of its own, and the owner gives the lock to the one that comes next (succession.ts) by
 * one compare-exchange of STATE, so that the lock has an owner at every moment, whoever is lost. A version in STATE
 * changes whenever a PE begins or ends to wait: what the owner has seen of the waiting PEs is true when its exchange
 * succeeds.
 *
 * The store may undo such a change of the version. So whoever waits first sets WANTED, which the owner looks at after
 * its store, and then makes the change anew: the owner sees that PE, or the PE sees that the lock is free. Where the
 * store is a plain one (ground/memory/order.ts) the look may come before it. But a PE looks at the lock after all
 * threads have fenced, before it sleeps (ground/wait/wakers.ts); where the system cannot do that, it has spun before,
 * longer than a store takes to reach the memory, and looks again after its longest sleep, 100 ms.
 *
 * Giving it to a PE that sleeps costs as much as the waking. So the owner first lets the lock be free a few times and
 * tells the next PE; whoever comes first has it, mostly the owner itself. After {@link MOST_PASSED} times the lock is
 * given. As the domains have their bound, whoever waits is passed at most
 * (MOST_PASSED + 1) x (MOST_STREAK + PEs of a domain) x domains times.
 *
 * Sources: Mellor-Crummey, Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors" (1991):
 * the line to spin on, the gift of the owner. Their list is a set here, as in Anderson's array lock (1990), as PEs may
 * end to wait at any time. Cohorts: succession.ts. Barging that ends by a gift: Pizlo, "Locking in WebKit" (2016).
 *
 * Limits: 1023 PEs. An owner that is lost keeps the lock; who comes next finds that out.
 */
import { UsageError } from "../../../ground/base/errors.ts";
import { keepsOrder } from "../../../ground/memory/order.ts";
import { NamedCondition } from "../../../ground/wait/named-condition.ts";
import type { Task } from "../../../ground/wait/task.ts";
import { pesText } from "../../../ground/wait/who.ts";
import type { Seat } from "../../../pe/seat.ts";
import { lockLost } from "../errors.ts";
import { type SharedKernels, sharedKernels } from "../kernels/kernels.ts";
import { OWNER, PASSED, STATE, STREAK, slotWord, TOLD, VERSION, WANTED } from "./layout.ts";
import { isGone, WaitingSet } from "./waiting-set.ts";

/** How often a lock that some wait for is left free in a row. */
const MOST_PASSED = 16;
/** Gifts within a domain in a row, while PEs of other domains wait. */
const MOST_STREAK = 64;
/** Looks at the state, up to half a microsecond apart, before a PE that has a core for itself begins to wait. */
const SOON = 16;
/** One in so many looks at the own line looks at the state: it may be free, and its owner may be lost. */
const STATE_MASK = 31;

/** What the owner was, where a PE has taken its lock: nobody, or the rank in the group of one that is gone. */
export const NOBODY = -1;

/** Of one PE. */
export class Mutex {
  readonly what: string;
  readonly #seat: Seat;
  readonly #i32: Int32Array;
  readonly #word: number;
  /** Byte offset of the state, and a view that begins there. */
  readonly state: number;
  readonly words: Int32Array;
  /** The state while this PE has it and nobody waits. */
  readonly mine: number;
  readonly #ordered = keepsOrder();
  readonly #repairs: boolean;
  readonly #waiting: WaitingSet;
  readonly #wait: MutexWait;
  readonly #take: SharedKernels["takeAtOnce"];
  readonly #takeSoon: SharedKernels["takeSoon"];
  readonly #looks: number;
  #isWaiting = false;

  /**
   * @param offset byte offset of its memory (layout.ts), zeroed @param what it is, for messages
   * @param repairs whether a PE takes it from one that is gone; else it gets an error
   */
  constructor(seat: Seat, offset: number, what: string, repairs: boolean) {
    this.what = what;
    this.#seat = seat;
    this.#i32 = seat.heap.i32;
    this.#word = offset / 4;
    this.state = offset + 4 * STATE;
    this.words = new Int32Array(seat.heap.buffer, offset, 2);
    this.mine = seat.rank + 1;
    this.#repairs = repairs;
    this.#waiting = new WaitingSet(seat, this.#word);
    this.#wait = new MutexWait(this);
    const { takeAtOnce, takeSoon } = sharedKernels(seat.heap.memory);
    this.#take = takeAtOnce;
    this.#takeSoon = takeSoon;
    this.#looks = seat.waiter.looks > 1 ? SOON : 1;
  }

  /** Takes it if it is free and nobody waits. */
  takeAtOnce(): boolean {
    // pairs with giveAtOnce() and give(): this PE sees what the last owner has written
    return this.#take(this.state, this.mine) === 0;
  }

  /** Takes it if it is free, though others may wait; or becomes so within the time of a short section. */
  takeFree(): boolean {
    return this.#takeSoon(this.state, this.mine, this.#looks) !== 0;
  }

  /** Gives it back if nobody waits. @returns false also if this PE has not got it */
  giveAtOnce(): boolean {
    const { words } = this;
    if (words[STATE] !== this.mine) return false;
    // pairs with takeAtOnce(), takeFree() and look(); the load with #waitingFor()
    if (this.#ordered) words[STATE] = 0;
    else Atomics.store(words, STATE, 0);
    if ((this.#ordered ? words[WANTED] : Atomics.load(words, WANTED)) !== 0) this.tellMissed();
    return true;
  }

  /**
   * The lock was free, and PEs may wait whose change of the version is undone: it is made anew, so that who has the
   * lock next sees them.
   */
  tellMissed(): void {
    this.#bump();
    this.#tellNext();
  }

  /** The rank in the group of the PE that has it; {@link NOBODY}. */
  get owner(): number {
    return (Atomics.load(this.#i32, this.#word + STATE) & OWNER) - 1;
  }

  get isOwn(): boolean {
    return this.owner === this.#seat.rank;
  }

  /** Whether this PE has it or waits for it. */
  get isInUse(): boolean {
    return this.#isWaiting || this.isOwn;
  }

  /** That owner by rank in the world. */
  get holders(): number[] {
    const { owner } = this;
    return owner === NOBODY ? [] : [this.#seat.members[owner] as number];
  }

  /**
   * Takes it if nobody has it.
   * @returns the PE that is gone and had it, {@link NOBODY} if none had, undefined if one has
   * @throws UsageError if this PE has it; LockLostError
   */
  tryTake(call: string): number | undefined {
    this.#checkUse(call);
    const found = this.look();
    if (found === undefined || found === NOBODY) return found;
    return this.#takeFrom(found, call) ? found : undefined;
  }

  /**
   * Takes it, or waits until it can.
   * @returns the PE that is gone and had it: the caller makes whole what it has left; {@link NOBODY} mostly
   * @throws as tryTake
   */
  *taking(call: string): Task<number> {
    this.#checkUse(call);
    for (;;) {
      const found = yield* this.#waitingFor();
      if (found === NOBODY || this.#takeFrom(found, call)) return found;
    }
  }

  *#waitingFor(): Task<number> {
    const wait = this.#wait;
    this.#isWaiting = true;
    wait.found = undefined;
    this.#waiting.add();
    // pairs with the loads of the owner in giveAtOnce(), and with its store in #nextWaiting()
    Atomics.store(this.#i32, this.#word + WANTED, 1);
    this.#bump();
    try {
      yield wait;
      return wait.found ?? NOBODY;
    } catch (error) {
      wait.found = undefined;
      throw error;
    } finally {
      this.#isWaiting = false;
      this.#waiting.remove();
      if (wait.found === undefined) this.#withdraw();
    }
  }

  /** What the owner has seen of who waits is not true any more. @returns the owner */
  #bump(): number {
    // pairs with the exchanges of the owner, which fail after this
    return (Atomics.add(this.#i32, this.#word + STATE, VERSION) & OWNER) - 1;
  }

  /** After a wait that has ended early, and perhaps with a gift. */
  #withdraw(): void {
    const owner = this.#bump();
    if (owner === this.#seat.rank) this.give("unlock");
    else if (owner === NOBODY) this.#tellNext();
  }

  #tellNext(): void {
    const next = this.#waiting.next();
    if (next >= 0) this.#waiting.tell(next);
  }

  /** Whether this PE was told to look since the last time. */
  wasTold(): boolean {
    return Atomics.load(this.#i32, this.#word + slotWord(this.#seat.rank) + TOLD) !== 0 && this.#waiting.isTold();
  }

  /**
   * Takes it if it can be taken, or was given.
   * @returns {@link NOBODY} if this PE has it now; the owner if that is gone; undefined if it is not
   */
  look(): number | undefined {
    const i32 = this.#i32;
    const at = this.#word + STATE;
    const state = Atomics.load(i32, at);
    const owner = state & OWNER;
    if (owner === this.mine) return NOBODY;
    // pairs with giveAtOnce() and give()
    if (owner === 0) return Atomics.compareExchange(i32, at, state, state | this.mine) === state ? NOBODY : undefined;
    return isGone(this.#seat, owner - 1) ? owner - 1 : undefined;
  }

  /** @returns whether the lock of a PE that is gone is this one's; @throws LockLostError */
  #takeFrom(gone: number, call: string): boolean {
    const { members, lossOf } = this.#seat;
    if (!this.#repairs) throw lockLost(call, this.what, members[gone] as number, lossOf(gone));
    return this.#pass(gone + 1, this.mine);
  }

  /** It belongs to a PE that is gone again, as its repair has failed. */
  giveTo(gone: number): void {
    this.#pass(this.mine, gone + 1);
    this.#waiting.tellAll();
  }

  #pass(from: number, to: number): boolean {
    const at = this.#word + STATE;
    for (;;) {
      const state = Atomics.load(this.#i32, at);
      if ((state & OWNER) !== from) return false;
      // pairs with the exchanges of others that take it from there
      if (Atomics.compareExchange(this.#i32, at, state, state - from + to) === state) return true;
    }
  }

  /** Gives it back. @throws UsageError if this PE has not got it */
  give(call: string): void {
    const i32 = this.#i32;
    const at = this.#word;
    const mine = this.mine;
    for (;;) {
      const state = Atomics.load(i32, at + STATE);
      if ((state & OWNER) !== mine) {
        this.#seat.checkWorld();
        throw this.#notOwn(call);
      }
      const next = this.#nextWaiting((i32[at + STREAK] as number) >= MOST_STREAK);
      const isGift = next >= 0 && (i32[at + PASSED] as number) >= MOST_PASSED;
      const after = next < 0 ? 0 : state - mine + (isGift ? next + 1 : 0);
      // the owner's words: whoever has it next sees them
      const [passed, streak] = [i32[at + PASSED] as number, i32[at + STREAK] as number];
      if (isGift) {
        i32[at + PASSED] = 0;
        i32[at + STREAK] = this.#waiting.isNear(next) ? streak + 1 : 0;
      } else {
        i32[at + PASSED] = next < 0 ? 0 : passed + 1;
      }
      // pairs with look() of the next owner, and with the additions of #bump(), after which it fails
      if (Atomics.compareExchange(i32, at + STATE, state, after) === state) {
        if (next >= 0) this.#waiting.tell(next);
        return;
      }
      i32[at + PASSED] = passed;
      i32[at + STREAK] = streak;
    }
  }

  /** The PE that comes next, for the owner; where none waits, WANTED says so. */
  #nextWaiting(farFirst: boolean): number {
    const first = this.#waiting.next(farFirst);
    if (first >= 0) return first;
    // between two looks at the set: pairs with the store of a PE that has begun to wait, which is in the set before
    Atomics.store(this.#i32, this.#word + WANTED, 0);
    const next = this.#waiting.next(farFirst);
    if (next >= 0) Atomics.store(this.#i32, this.#word + WANTED, 1);
    return next;
  }

  /** Who has it and who waits, as a sentence. */
  get text(): string {
    const { holders } = this;
    const others = this.#waiting.others();
    const held = holders.length === 0 ? "Nobody holds it" : `${pesText(holders)} holds it`;
    return `${held}${others.length === 0 ? "" : `; ${pesText(others)} ${others.length > 1 ? "wait" : "waits"} for it, too`}.`;
  }

  #checkUse(call: string): void {
    if (this.isOwn) {
      throw new UsageError(
        `${call}: this PE holds the ${this.what} already, and would wait for itself. Unlock it first; code that runs in it gets what it ` +
          "needs as arguments.",
      );
    }
    if (this.#isWaiting) {
      throw new UsageError(
        `${call}: another call of this PE waits for the ${this.what}. A PE holds it as a whole: await that call first.`,
      );
    }
  }

  #notOwn(call: string): UsageError {
    const { holders } = this;
    const who = holders.length === 0 ? "nobody holds it" : `${pesText(holders)} holds it`;
    return new UsageError(
      `${call}: this PE does not hold the ${this.what}: ${who}. Only the PE that locks it unlocks it.`,
    );
  }
}

/** The wait of a PE for a mutex: one at a time. */
class MutexWait extends NamedCondition {
  readonly call: string;
  /** See Mutex.look. */
  found: number | undefined = undefined;
  readonly #mutex: Mutex;
  #looks = 0;

  constructor(mutex: Mutex) {
    super();
    this.#mutex = mutex;
    this.call = mutex.what;
  }

  get whom(): string {
    return `the ${this.call}`;
  }

  get awaited(): readonly number[] {
    return this.#mutex.holders;
  }

  ready(): boolean {
    this.#mutex.wasTold();
    this.found = this.#mutex.look();
    return this.found !== undefined;
  }

  override spin(looks: number): boolean {
    const mutex = this.#mutex;
    for (; looks > 0; looks--) {
      if (((this.#looks++ & STATE_MASK) === 0 || mutex.wasTold()) && this.ready()) return true;
    }
    return false;
  }

  override absent(): string {
    return this.#mutex.text;
  }
}

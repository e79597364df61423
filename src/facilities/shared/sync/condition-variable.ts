/**
 * Condition variables: a PE that holds a lock gives it back and waits until another one says that what it waits for may
 * be there.
 *
 * Whoever waits is in a set, adds itself while it holds the lock, and is told one by one, the nearest first: the PE
 * that is taken out of the set goes on. Nobody goes on without that.
 *
 * Source: Hoare, "Monitors" (1974); Lampson, Redell, "Experience with Processes and Monitors in Mesa" (1980): a PE that
 * goes on has to look again, as others may have had the lock in between.
 */
import { AbortedError, TimeoutError, UsageError } from "../../../ground/base/errors.ts";
import { optionsOf, text } from "../../../ground/base/options.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { WaitOptions } from "../../../ground/wait/options.ts";
import type { Task } from "../../../ground/wait/task.ts";
import type { Group } from "../../../pe/group.ts";
import { type SharedBlock, type SharedOptions, sharedBlock } from "../block.ts";
import { CountedWait } from "./counted.ts";
import { awaitIn, blockIn } from "./driver.ts";
import { syncBytes } from "./layout.ts";
import { inUse, Lock, lockingOf } from "./lock.ts";
import { WaitingSet } from "./waiting-set.ts";

const OPTIONS = optionsOf<SharedOptions>({ name: text() });

/** Makes its face. */
let newCondition: (block: SharedBlock, lock: Lock<unknown>) => ConditionVariable;

/** A condition variable of the PEs of a node, made by {@link condition}. */
export class ConditionVariable {
  static {
    newCondition = (block, lock) => new ConditionVariable(block, lock);
  }

  readonly #block: SharedBlock;
  readonly #lock: Lock<unknown>;
  readonly #waiting: WaitingSet;
  #isWaiting = false;

  private constructor(block: SharedBlock, lock: Lock<unknown>) {
    this.#block = block;
    this.#lock = lock;
    this.#waiting = new WaitingSet(block.seat, block.offset / 4);
  }

  /**
   * Gives the lock back, waits to be notified, and locks it again, however that ends. With a predicate: until that is
   * true, which is called while this PE holds the lock.
   * @throws UsageError if this PE does not hold the lock; else as `lock` of a lock
   */
  wait(until?: () => boolean, options?: WaitOptions): void {
    blockIn(this.#block, "wait", this.#until("wait", until), options);
  }

  /** As {@link wait}, without blocking. */
  async waitAsync(until?: () => boolean, options?: WaitOptions): Promise<void> {
    await awaitIn(this.#block, "waitAsync", this.#until("waitAsync", until), options);
  }

  /** Lets one PE go on that waits, the nearest one; none if none waits. The caller may hold the lock. */
  notify(): void {
    this.#block.check("notify");
    for (;;) {
      const next = this.#waiting.next();
      if (next < 0) return;
      if (!this.#waiting.drop(next)) continue;
      this.#waiting.tell(next);
      return;
    }
  }

  /** Lets all go on that wait. */
  notifyAll(): void {
    this.#block.check("notifyAll");
    const { size, rank } = this.#block.seat;
    for (let one = 0; one < size; one++) {
      if (one !== rank && this.#waiting.drop(one)) this.#waiting.tell(one);
    }
  }

  /** As `leave` of a lock, which stays. @throws UsageError while this PE waits */
  leave(): void {
    if (this.#isWaiting) throw inUse(this.#block);
    this.#block.leave();
  }

  *#until(call: string, until: (() => boolean) | undefined): Task<void> {
    this.#block.check(call);
    if (until === undefined) {
      yield* this.#waitingOnce(call);
      return;
    }
    if (!this.#lock.isHeld) throw this.#notHeld(call);
    while (!until()) yield* this.#waitingOnce(call);
  }

  *#waitingOnce(call: string): Task<void> {
    const { seat, what } = this.#block;
    if (!this.#lock.isHeld) throw this.#notHeld(call);
    this.#isWaiting = true;
    this.#waiting.add();
    let error: { readonly cause: unknown } | null = null;
    try {
      this.#lock.unlock();
      const isNotified = () => !this.#waiting.has(seat.rank);
      yield new CountedWait(seat, what, this.#waiting, isNotified, () => "No PE has notified it.");
    } catch (cause) {
      // what has notified it at the same moment counts
      if (this.#waiting.has(seat.rank) || !isLimit(cause)) error = { cause };
    }
    this.#waiting.remove();
    this.#isWaiting = false;
    // what has ended the wait does not end this one: the caller goes on with the lock, or with an error of the lock
    for (let isLocked = false; !isLocked; ) {
      try {
        yield* lockingOf(this.#lock);
        isLocked = true;
      } catch (cause) {
        if (error === null || !isLimit(cause)) throw cause;
      }
    }
    if (error !== null) throw error.cause;
  }

  #notHeld(call: string): UsageError {
    return new UsageError(`${call}: this PE does not hold the lock of the ${this.#block.what}. Lock it first.`);
  }
}

/** Whether an error ends one wait and nothing else. */
const isLimit = (error: unknown): boolean => error instanceof TimeoutError || error instanceof AbortedError;

/**
 * Makes a condition variable of the PEs of a group, all of one node, for a lock of theirs. Collective, as {@link lock}.
 *
 *     const filled = condition(pe, queue);
 *     const held = queue.lock();
 *     try { filled.wait(() => length[0] > 0); take(); } finally { held.unlock(); }
 *
 * @throws as lock
 */
export function condition(pe: Group, lock: Lock<unknown>, options: SharedOptions = {}): ConditionVariable {
  if (!(lock instanceof Lock)) throw new UsageError(`condition: expected a lock of lock(pe), got ${shortText(lock)}`);
  const making = { call: "condition", kind: "condition", schema: OPTIONS, bytes: syncBytes };
  return newCondition(sharedBlock(pe, making, options), lock);
}

/**
 * Semaphores: so many permits, which PEs acquire and release, also those of others.
 *
 * The permits are a word; who finds none waits in a set (waiting-set.ts), and a release tells as many as it has
 * permits for, the nearest first. They are not given: a PE that comes meanwhile may have one.
 */
import { UsageError } from "../../../ground/base/errors.ts";
import { callback, optionsOf, text } from "../../../ground/base/options.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { WaitOptions } from "../../../ground/wait/options.ts";
import type { Task } from "../../../ground/wait/task.ts";
import { pesText } from "../../../ground/wait/who.ts";
import type { Group } from "../../../pe/group.ts";
import { type SharedBlock, type SharedOptions, sharedBlock } from "../block.ts";
import { lockLost } from "../errors.ts";
import { type SharedKernels, sharedKernels } from "../kernels/kernels.ts";
import { CountedWait } from "./counted.ts";
import { awaitIn, blockIn } from "./driver.ts";
import { HELD, slotWord, syncBytes, VALUE } from "./layout.ts";
import { inUse } from "./lock.ts";
import { isGone, WaitingSet } from "./waiting-set.ts";

/** Options of {@link semaphore}. */
export interface SemaphoreOptions extends SharedOptions {
  /**
   * Says how many permits come back of those that a PE held that was lost or has returned: called by the next PE that
   * finds none. @param lost rank in the world @param permits that it had acquired, and not released itself
   * @default the PEs that find none get a LockLostError
   */
  readonly repair?: ((lost: number, permits: number) => number) | undefined;
}

/** Most permits. */
const MOST = 2 ** 31 - 1;
/** Lost PEs are looked for in one of so many looks of a spin. */
const LOSS_MASK = 31;
const OPTIONS = optionsOf<SemaphoreOptions>({ name: text(), repair: callback });

/** Makes its face. */
let newSemaphore: (block: SharedBlock, permits: number, options: SemaphoreOptions) => Semaphore;

/** A semaphore of the PEs of a node, made by {@link semaphore}. */
export class Semaphore {
  static {
    newSemaphore = (block, permits, options) => new Semaphore(block, permits, options);
  }

  readonly #block: SharedBlock;
  readonly #i32: Int32Array;
  readonly #value: number;
  readonly #held: number;
  readonly #waiting: WaitingSet;
  readonly #takeOne: SharedKernels["takeOne"];
  readonly #repair: SemaphoreOptions["repair"];
  /** Permits at first: the word has what came since, less what was taken. */
  readonly #initial: number;
  /** One in so many looks is for lost PEs. */
  readonly #mask: number;
  #looks = 0;
  #waits = 0;

  private constructor(block: SharedBlock, permits: number, { repair }: SemaphoreOptions) {
    const { seat, offset } = block;
    this.#block = block;
    this.#i32 = seat.heap.i32;
    this.#value = offset / 4 + VALUE;
    this.#held = offset / 4 + slotWord(seat.rank) + HELD;
    this.#waiting = new WaitingSet(seat, offset / 4);
    this.#takeOne = sharedKernels(seat.heap.memory).takeOne;
    this.#repair = repair;
    this.#initial = permits;
    this.#mask = seat.waiter.mayBlock ? LOSS_MASK : 0;
  }

  /** Permits that are there now. */
  get permits(): number {
    this.#block.check("permits");
    return this.#permits;
  }

  /** Acquires a permit, and waits for one. @throws as `lock` of a lock: LockLostError if none is left, and a lost PE
   * had some */
  acquire(options?: WaitOptions): void {
    if (options === undefined && this.#take("acquire")) return;
    blockIn(this.#block, "acquire", this.#acquiring("acquire"), options);
  }

  /** As {@link acquire}, without blocking. Several calls of a PE may wait. */
  async acquireAsync(options?: WaitOptions): Promise<void> {
    await awaitIn(this.#block, "acquireAsync", this.#acquiring("acquireAsync"), options);
  }

  /** Acquires a permit if there is one. */
  tryAcquire(): boolean {
    return this.#take("tryAcquire");
  }

  #take(call: string): boolean {
    this.#block.check(call);
    // before it has it: a PE that is lost in between had it for all that others know
    (this.#i32[this.#held] as number)++;
    if (this.#takeOne(4 * this.#value, -this.#initial)) return true;
    (this.#i32[this.#held] as number)--;
    return false;
  }

  /**
   * Releases permits: its own first; more than it has acquired are new ones.
   * @throws UsageError for a bad number, and where there would be more than 2^31 - 1
   */
  release(permits = 1): void {
    this.#block.check("release");
    if (!(Number.isInteger(permits) && permits >= 1 && permits <= MOST - this.#permits)) {
      throw new UsageError(
        `release: expected a whole number of permits >= 1, at most 2^31 - 1 with those that are there, got ${shortText(permits)}`,
      );
    }
    this.#add(permits);
    // after they are there, see #take()
    this.#i32[this.#held] = Math.max(0, (this.#i32[this.#held] as number) - permits);
  }

  /** As `leave` of a lock. Permits that it has acquired stay away. @throws UsageError while this PE waits for one */
  leave(): void {
    if (this.#waits > 0) throw inUse(this.#block);
    this.#block.leave();
  }

  get #permits(): number {
    return this.#initial + Atomics.load(this.#i32, this.#value);
  }

  #add(permits: number): void {
    // pairs with takeOne() of the PEs that wait
    Atomics.add(this.#i32, this.#value, permits);
    for (let left = permits; left > 0; left--) {
      const next = this.#waiting.next();
      if (next < 0) break;
      // so that the next one told is another; who is told and finds none adds itself again
      this.#waiting.drop(next);
      this.#waiting.tell(next);
    }
    if (this.#waits > 0) this.#block.seat.stir();
  }

  *#acquiring(call: string): Task<void> {
    const wait = this.#waitFor();
    this.#waits++;
    this.#waiting.add();
    try {
      for (;;) {
        if (this.#take(call)) return;
        this.#checkLosses(call);
        yield wait;
      }
    } finally {
      this.#waits--;
      this.#waiting.remove();
      // a permit that this PE was told of, and has not taken, is the next one's
      if (this.#permits > 0) this.#tellNext();
    }
  }

  #tellNext(): void {
    const next = this.#waiting.next();
    if (next >= 0) this.#waiting.tell(next);
  }

  #waitFor(): CountedWait {
    const { seat, what } = this.#block;
    const holds = (isLast: boolean) => {
      if (this.#permits > 0) return true;
      if ((isLast || (this.#looks++ & this.#mask) === 0) && this.#goneHolder() >= 0) return true;
      this.#waiting.renew();
      return this.#permits > 0;
    };
    const text = () => {
      const holders = this.#holders();
      return `It has no permit; ${holders.length === 0 ? "no PE has" : `${pesText(holders)} ${holders.length > 1 ? "have" : "has"}`} acquired one.`;
    };
    return new CountedWait(seat, what, this.#waiting, holds, text);
  }

  #holders(): number[] {
    return this.#block.seat.members.filter((_, one) => this.#heldBy(one) > 0);
  }

  #heldBy(one: number): number {
    return this.#i32[this.#block.offset / 4 + slotWord(one) + HELD] as number;
  }

  /** A PE that is gone with permits; -1 for none. */
  #goneHolder(): number {
    const { seat } = this.#block;
    for (let one = 0; one < seat.size; one++) if (this.#heldBy(one) > 0 && isGone(seat, one)) return one;
    return -1;
  }

  /** Where there is no permit. @throws LockLostError */
  #checkLosses(call: string): void {
    const gone = this.#goneHolder();
    if (gone < 0) return;
    const { seat, offset, what } = this.#block;
    const rank = seat.members[gone] as number;
    const word = offset / 4 + slotWord(gone) + HELD;
    const permits = Atomics.load(this.#i32, word);
    if (this.#repair === undefined) throw lockLost(call, what, rank, seat.lossOf(gone));
    // only one PE repairs it: pairs with itself
    if (permits === 0 || Atomics.compareExchange(this.#i32, word, permits, 0) !== permits) return;
    try {
      const back = this.#repair(rank, permits);
      if (!(Number.isInteger(back) && back >= 0 && back <= MOST - this.#permits)) {
        throw new UsageError(`${call}: expected a number of permits from the repair function, got ${shortText(back)}`);
      }
      if (back > 0) this.#add(back);
    } catch (error) {
      Atomics.store(this.#i32, word, permits);
      throw error;
    }
  }
}

/**
 * Makes a semaphore of the PEs of a group, all of one node. Collective, as {@link lock}.
 *
 *     const slots = semaphore(pe, 4);
 *     slots.acquire();
 *     try { … } finally { slots.release(); }
 *
 * @param permits at first, the same at all PEs
 * @throws as lock
 */
export function semaphore(pe: Group, permits: number, options: SemaphoreOptions = {}): Semaphore {
  checkCount("semaphore", permits, 0, MOST);
  const terms = ` of ${permits}`;
  const making = { call: "semaphore", kind: "semaphore", schema: OPTIONS, bytes: syncBytes, terms };
  return newSemaphore(sharedBlock(pe, making, options), permits, options);
}

/** @throws UsageError unless it is a whole number from `least` to `most` */
export function checkCount(call: string, count: number, least: number, most: number): void {
  if (Number.isInteger(count) && count >= least && count <= most) return;
  throw new UsageError(`${call}: expected a whole number from ${least} to ${most}, got ${shortText(count)}`);
}

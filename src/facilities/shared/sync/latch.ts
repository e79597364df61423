/** Latches: PEs wait until something was counted down to 0. */
import { UsageError } from "../../../ground/base/errors.ts";
import { optionsOf, text } from "../../../ground/base/options.ts";
import { countText } from "../../../ground/base/units.ts";
import type { WaitOptions } from "../../../ground/wait/options.ts";
import type { Task } from "../../../ground/wait/task.ts";
import type { Group } from "../../../pe/group.ts";
import { type SharedBlock, type SharedOptions, sharedBlock } from "../block.ts";
import { CountedWait } from "./counted.ts";
import { awaitIn, blockIn } from "./driver.ts";
import { HELD, slotWord, syncBytes, VALUE } from "./layout.ts";
import { inUse } from "./lock.ts";
import { checkCount } from "./semaphore.ts";
import { WaitingSet } from "./waiting-set.ts";

const OPTIONS = optionsOf<SharedOptions>({ name: text() });
const MOST = 2 ** 31 - 1;

/** Makes its face. */
let newLatch: (block: SharedBlock, count: number) => Latch;

/** A latch of the PEs of a node, made by {@link latch}. It opens once. */
export class Latch {
  static {
    newLatch = (block, count) => new Latch(block, count);
  }

  readonly #block: SharedBlock;
  readonly #i32: Int32Array;
  /** Counts what was counted down. */
  readonly #word: number;
  readonly #count: number;
  readonly #waiting: WaitingSet;
  #waits = 0;

  private constructor(block: SharedBlock, count: number) {
    const { seat, offset } = block;
    this.#block = block;
    this.#i32 = seat.heap.i32;
    this.#word = offset / 4 + VALUE;
    this.#count = count;
    this.#waiting = new WaitingSet(seat, offset / 4);
  }

  /** What is left to count down. */
  get left(): number {
    this.#block.check("left");
    return this.#left;
  }

  get isOpen(): boolean {
    return this.left === 0;
  }

  /** Counts down; at 0 all that wait go on. @throws UsageError for more than is left: nothing is counted */
  countDown(by = 1): void {
    this.#block.check("countDown");
    for (;;) {
      const left = this.#left;
      if (!(Number.isInteger(by) && by >= 1 && by <= left)) {
        throw new UsageError(
          `countDown: expected a whole number from 1 to what is left, got ${by} where ${countText(left, "count")} of ${this.#count} are`,
        );
      }
      const counted = this.#count - left;
      // pairs with the loads of the PEs that wait: they see what was written before
      if (Atomics.compareExchange(this.#i32, this.#word, counted, counted + by) !== counted) continue;
      if (left > by) return;
      this.#waiting.tellAll();
      this.#block.seat.stir();
      return;
    }
  }

  /**
   * Waits until nothing is left.
   * @throws TimeoutError; RankLostError where nobody counts down any more: PEs are gone, and all others wait here
   */
  wait(options?: WaitOptions): void {
    if (options === undefined && this.isOpen) return;
    blockIn(this.#block, "wait", this.#opening(true), options);
  }

  /** As {@link wait}, without blocking. */
  async waitAsync(options?: WaitOptions): Promise<void> {
    await awaitIn(this.#block, "waitAsync", this.#opening(false), options);
  }

  /** As `leave` of a lock. @throws UsageError while this PE waits */
  leave(): void {
    if (this.#waits > 0) throw inUse(this.#block);
    this.#block.leave();
  }

  get #left(): number {
    return this.#count - Atomics.load(this.#i32, this.#word);
  }

  /** @param blocks whether this PE counts nothing down meanwhile */
  *#opening(blocks: boolean): Task<void> {
    this.#block.check("wait");
    if (this.#left === 0) return;
    const { seat, what } = this.#block;
    this.#waits++;
    this.#waiting.add();
    if (blocks) this.#blocks(true);
    try {
      const text = () => `${countText(this.#left, "count")} of ${this.#count} are left.`;
      const isStuck = (one: number) => Atomics.load(this.#i32, this.#heldOf(one)) !== 0;
      yield new CountedWait(seat, what, this.#waiting, () => this.#left === 0, text, isStuck);
    } finally {
      if (blocks) this.#blocks(false);
      this.#waits--;
      this.#waiting.remove();
    }
  }

  #blocks(isBlocked: boolean): void {
    // pairs with the loads of others that wait: what this PE has counted down before is seen then, too
    Atomics.store(this.#i32, this.#heldOf(this.#block.seat.rank), isBlocked ? 1 : 0);
  }

  #heldOf(one: number): number {
    return this.#block.offset / 4 + slotWord(one) + HELD;
  }
}

/**
 * Makes a latch of the PEs of a group, all of one node. Collective, as {@link lock}.
 *
 *     const loaded = latch(pe, files.length);
 *     for (const file of mine) { load(file); loaded.countDown(); }
 *     loaded.wait();
 *
 * @param count the same at all PEs
 * @throws as lock
 */
export function latch(pe: Group, count: number, options: SharedOptions = {}): Latch {
  checkCount("latch", count, 0, MOST);
  const making = { call: "latch", kind: "latch", schema: OPTIONS, bytes: syncBytes, terms: ` of ${count}` };
  return newLatch(sharedBlock(pe, making, options), count);
}

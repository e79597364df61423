/** What is done once for all PEs of a node: by the first that comes; the others wait for it. */
import type { WaitOptions } from "../../../ground/wait/options.ts";
import type { Task } from "../../../ground/wait/task.ts";
import type { Group } from "../../../pe/group.ts";
import { type SharedBlock, sharedBlock } from "../block.ts";
import { awaitIn, blockIn } from "./driver.ts";
import { syncBytes, VALUE } from "./layout.ts";
import { inUse, LOCK_OPTIONS, type LockOptions, repairBy } from "./lock.ts";
import { Mutex, NOBODY } from "./mutex.ts";

/** Makes its face. */
let newOnce: (block: SharedBlock, options: LockOptions<unknown>) => Once;

/**
 * Made by {@link once}. As C++'s `std::call_once`: a function that throws has not run, and the next PE runs its own.
 */
export class Once {
  static {
    newOnce = (block, options) => new Once(block, options);
  }

  readonly #block: SharedBlock;
  readonly #mutex: Mutex;
  readonly #i32: Int32Array;
  /** 1 once it is done. */
  readonly #word: number;
  readonly #repair: LockOptions<unknown>["repair"];

  private constructor(block: SharedBlock, { repair }: LockOptions<unknown>) {
    const { seat, offset, what } = block;
    this.#block = block;
    this.#i32 = seat.heap.i32;
    this.#word = offset / 4 + VALUE;
    this.#mutex = new Mutex(seat, offset, what, repair !== undefined);
    this.#repair = repair;
  }

  get isDone(): boolean {
    this.#block.check("isDone");
    // pairs with the store in #ran(): what the function has written is seen
    return Atomics.load(this.#i32, this.#word) === 1;
  }

  /**
   * Runs the function unless it is done; else waits until it is.
   * @returns whether this PE has run it
   * @throws what the function throws; else as `lock` of a lock: LockLostError if a PE was lost in its function
   */
  run(work: () => unknown, options?: WaitOptions): boolean {
    if (options === undefined && this.isDone) return false;
    const isMine = blockIn(this.#block, "run", this.#beginning(), options);
    if (isMine) this.#ran(work);
    return isMine;
  }

  /** As {@link run}, without blocking; the function may return a promise. */
  async runAsync(work: () => unknown, options?: WaitOptions): Promise<boolean> {
    const isMine = await awaitIn(this.#block, "runAsync", this.#beginning(), options);
    if (!isMine) return false;
    let isDone = false;
    try {
      await work();
      isDone = true;
    } finally {
      this.#ran(() => {}, isDone);
    }
    return true;
  }

  /** As `leave` of a lock. */
  leave(): void {
    if (this.#mutex.isInUse) throw inUse(this.#block);
    this.#block.leave();
  }

  /** @returns whether this PE is to run it: it has the mutex then */
  *#beginning(): Task<boolean> {
    if (this.isDone) return false;
    const gone = this.#mutex.takeFree() ? NOBODY : yield* this.#mutex.taking("run");
    if (gone !== NOBODY && this.#repair !== undefined) repairBy(this.#mutex, this.#block, gone, this.#repair);
    if (!this.isDone) return true;
    this.#mutex.give("run");
    return false;
  }

  #ran(work: () => unknown, isDone = true): void {
    try {
      work();
      // pairs with the loads in isDone
      if (isDone) Atomics.store(this.#i32, this.#word, 1);
    } finally {
      this.#mutex.give("run");
    }
  }
}

/**
 * Makes it for the PEs of a group, all of one node. Collective, as {@link lock}.
 *
 *     const tables = once(pe);
 *     tables.run(() => fill(sines));
 *
 * @throws as lock
 */
export function once(pe: Group, options: LockOptions<unknown> = {}): Once {
  return newOnce(
    sharedBlock(pe, { call: "once", kind: "once", schema: LOCK_OPTIONS, bytes: syncBytes }, options),
    options,
  );
}

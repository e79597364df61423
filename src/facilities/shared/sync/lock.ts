/** Locks: one PE of a node at a time. */
import { UsageError } from "../../../ground/base/errors.ts";
import { callback, type OptionField, optionsOf, text } from "../../../ground/base/options.ts";
import { keepsOrder } from "../../../ground/memory/order.ts";
import type { WaitOptions } from "../../../ground/wait/options.ts";
import type { Task } from "../../../ground/wait/task.ts";
import type { Group } from "../../../pe/group.ts";
import { type SharedBlock, type SharedOptions, sharedBlock } from "../block.ts";
import { type SharedKernels, sharedKernels } from "../kernels/kernels.ts";
import { awaitIn, blockIn } from "./driver.ts";
import { STATE, syncBytes, WANTED } from "./layout.ts";
import { Mutex, NOBODY } from "./mutex.ts";

/** Options of what a PE can be lost with. */
export interface LockOptions<Repaired = undefined> extends SharedOptions {
  /**
   * Makes whole what the lock guards, after a PE that held it was lost or has returned: called by the next PE that gets
   * it, which holds it then. If it throws, the lock is as it was. @param lost rank in the world
   * @default the next PEs get a LockLostError
   */
  readonly repair?: ((lost: number) => Repaired) | undefined;
}

export const LOCK_OPTIONS: OptionField = optionsOf<LockOptions>({ name: text(), repair: callback });

/**
 * A lock that this PE holds: `using held = a.lock()` gives it back at the end of the block. It is the same object each
 * time: what was given back by hand is not to be given back by `using` as well.
 */
export interface Hold<Repaired = undefined> {
  /** What the repair function has returned, where this PE has called it. */
  readonly repaired: Repaired | undefined;
  /** Gives it back. @throws UsageError if it was given back before */
  unlock(): void;
  [Symbol.dispose](): void;
}

/** What is held. */
export class Holding<Repaired> implements Hold<Repaired> {
  readonly repaired: Repaired | undefined;
  readonly #unlock: () => void;

  constructor(unlock: () => void, repaired?: Repaired) {
    this.#unlock = unlock;
    this.repaired = repaired;
  }

  unlock(): void {
    this.#unlock();
  }

  [Symbol.dispose](): void {
    this.#unlock();
  }
}

/** Runs a repair by the PE that holds the mutex. @returns its value @throws what it throws: the mutex is as it was */
export function repairBy<Repaired>(
  mutex: Mutex,
  { seat }: SharedBlock,
  gone: number,
  repair: (lost: number) => Repaired,
): Repaired {
  try {
    return repair(seat.members[gone] as number);
  } catch (error) {
    mutex.giveTo(gone);
    throw error;
  }
}

/** Words of a lock that nobody ever has, and how it is taken. */
const NO_WORDS = new Int32Array(2);
const takeNone = (): number => -1;

/** Locks a lock, for what gives it back in between. */
export let lockingOf: (lock: Lock<unknown>) => Task<unknown>;

/** Makes the face of a lock. */
let newLock: <Repaired>(block: SharedBlock, options: LockOptions<Repaired>) => Lock<Repaired>;

/**
 * A lock of the PEs of a node, made by {@link lock}. A PE holds it as a whole: also from one await to another, and no
 * second call of it may lock it meanwhile.
 *
 *     const held = accounts.lock();
 *     try { balance[from] -= sum; balance[to] += sum; }
 *     finally { held.unlock(); }        // or, with TypeScript: { using _ = accounts.lock(); … }
 */
export class Lock<Repaired = undefined> {
  static {
    newLock = (block, options) => new Lock(block, options);
    lockingOf = (lock) => lock.#locking();
  }

  readonly #block: SharedBlock;
  readonly #mutex: Mutex;
  readonly #repair: ((lost: number) => Repaired) | undefined;
  readonly #hold: Hold<Repaired>;
  /**
   * Of the mutex, as V8 loads it sooner from here. The words are those of the lock where it may be given back by a
   * plain store, until this PE has left; else others, which say that it has not got it.
   */
  #take: SharedKernels["takeAtOnce"];
  #words: Int32Array;
  readonly #state: number;
  readonly #mine: number;
  #isOpen = true;

  private constructor(block: SharedBlock, { repair }: LockOptions<Repaired>) {
    this.#block = block;
    this.#repair = repair;
    this.#mutex = new Mutex(block.seat, block.offset, block.what, repair !== undefined);
    this.#hold = new Holding(() => this.unlock());
    this.#take = sharedKernels(block.seat.heap.memory).takeAtOnce;
    this.#words = keepsOrder() ? this.#mutex.words : NO_WORDS;
    this.#state = this.#mutex.state;
    this.#mine = this.#mutex.mine;
  }

  /**
   * Locks it, and waits for it: it spins, yields, then sleeps.
   * @throws UsageError if this PE holds it; LockLostError if a PE is gone that held it; TimeoutError; what ends the
   * world. It is not locked then
   */
  lock(options?: WaitOptions): Hold<Repaired> {
    if (options === undefined) {
      // pairs as in Mutex.takeAtOnce()
      if (this.#take(this.#state, this.#mine) === 0) return this.#hold;
      if (this.#isOpen && this.#mutex.takeFree()) return this.#hold;
    }
    return blockIn(this.#block, "lock", this.#locking(), options);
  }

  /** As {@link lock}, without blocking. @throws the same, and AbortedError */
  async lockAsync(options?: WaitOptions): Promise<Hold<Repaired>> {
    return awaitIn(this.#block, "lockAsync", this.#locking(), options);
  }

  /** Locks it if that needs no wait. @returns null if another PE holds it @throws UsageError; LockLostError */
  tryLock(): Hold<Repaired> | null {
    if (this.#take(this.#state, this.#mine) === 0) return this.#hold;
    this.#block.check("tryLock");
    const gone = this.#mutex.tryTake("tryLock");
    return gone === undefined ? null : this.#held(gone);
  }

  /** Unlocks it. @throws UsageError if this PE does not hold it */
  unlock(): void {
    const words = this.#words;
    if (words[STATE] === this.#mine) {
      // pairs as in Mutex.giveAtOnce()
      words[STATE] = 0;
      if (words[WANTED] !== 0) this.#mutex.tellMissed();
      return;
    }
    this.#block.check("unlock");
    if (!this.#mutex.giveAtOnce()) this.#mutex.give("unlock");
  }

  /** Whether this PE holds it. */
  get isHeld(): boolean {
    return this.#isOpen && this.#mutex.isOwn;
  }

  /** The PE that holds it, by rank in the world; -1 for none. It may be another one at once. */
  get holder(): number {
    this.#block.check("holder");
    return this.#mutex.holders[0] ?? -1;
  }

  /**
   * This PE uses it no more; when all have left, the heap gets its memory back. A second call has no effect.
   * @throws UsageError while it holds it or waits for it
   */
  leave(): void {
    if (this.#isOpen && this.#mutex.isInUse) throw inUse(this.#block);
    this.#isOpen = false;
    this.#take = takeNone;
    this.#words = NO_WORDS;
    this.#block.leave();
  }

  *#locking(): Task<Hold<Repaired>> {
    this.#block.check("lock");
    if (this.#mutex.takeFree()) return this.#hold;
    return this.#held(yield* this.#mutex.taking("lock"));
  }

  #held(gone: number): Hold<Repaired> {
    if (gone === NOBODY || this.#repair === undefined) return this.#hold;
    return new Holding(() => this.unlock(), repairBy(this.#mutex, this.#block, gone, this.#repair));
  }
}

export const inUse = ({ what }: SharedBlock): UsageError =>
  new UsageError(`leave: this PE holds the ${what}, or waits for it. Give it back first.`);

/**
 * Makes a lock of the PEs of a group, all of one node. Collective: all its PEs make it, in the same order as others of
 * the group. It waits for nobody if the heap has room (128 bytes for each PE, and 384).
 *
 *     const accounts = lock(pe, { name: "accounts" });
 *
 * @throws UsageError for bad options, and for a group over several nodes; HeapError; MismatchError, which ends the
 * world
 */
export function lock<Repaired = undefined>(pe: Group, options: LockOptions<Repaired> = {}): Lock<Repaired> {
  return newLock(
    sharedBlock(pe, { call: "lock", kind: "lock", schema: LOCK_OPTIONS, bytes: syncBytes }, options),
    options,
  );
}

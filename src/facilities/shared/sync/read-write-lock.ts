/**
 * Reader-writer locks: many PEs read, or one writes.
 *
 * A reader has a word of its own, which it sets, and then looks whether a writer has the mutex: readers share no line
 * that they write. A writer takes the mutex, and then waits until no word is set. A reader that meets a writer takes
 * its turn for the mutex, sets its word, and gives the mutex on: neither side starves.
 *
 * Source: Hsieh, Weihl, "Scalable Reader-Writer Locks for Parallel Systems" (1992): a mutex for each reader, of which
 * the writer takes all; Linux had it as brlock.
 *
 * Limits: a writer looks at the words of all PEs. A reader that is lost has changed nothing, and is passed over.
 */
import { UsageError } from "../../../ground/base/errors.ts";
import { NamedCondition } from "../../../ground/wait/named-condition.ts";
import type { WaitOptions } from "../../../ground/wait/options.ts";
import type { Task } from "../../../ground/wait/task.ts";
import { pesText } from "../../../ground/wait/who.ts";
import type { Group } from "../../../pe/group.ts";
import type { Seat } from "../../../pe/seat.ts";
import { type SharedBlock, sharedBlock } from "../block.ts";
import { type SharedKernels, sharedKernels } from "../kernels/kernels.ts";
import { awaitIn, blockIn } from "./driver.ts";
import { AWAITED, HELD, STATE, slotWord, syncBytes } from "./layout.ts";
import { type Hold, Holding, inUse, LOCK_OPTIONS, type LockOptions, repairBy } from "./lock.ts";
import { Mutex, NOBODY } from "./mutex.ts";
import { isGone } from "./waiting-set.ts";

/** Makes its face. */
let newReadWriteLock: <Repaired>(block: SharedBlock, options: LockOptions<Repaired>) => ReadWriteLock<Repaired>;

/** A reader-writer lock of the PEs of a node, made by {@link rwlock}. A PE reads or writes as a whole, and once. */
export class ReadWriteLock<Repaired = undefined> {
  static {
    newReadWriteLock = (block, options) => new ReadWriteLock(block, options);
  }

  readonly #block: SharedBlock;
  readonly #mutex: Mutex;
  readonly #readers: Readers;
  readonly #repair: ((lost: number) => Repaired) | undefined;
  readonly #reading: Hold<Repaired>;
  readonly #writing: Hold<Repaired>;
  readonly #kernels: SharedKernels;
  /** Byte offsets: of the word of this reader, and of the state of the mutex. */
  readonly #held: number;
  readonly #state: number;

  private constructor(block: SharedBlock, { repair }: LockOptions<Repaired>) {
    const { seat, offset, what } = block;
    this.#block = block;
    this.#repair = repair;
    this.#mutex = new Mutex(seat, offset, what, repair !== undefined);
    this.#readers = new Readers(seat, offset / 4, what);
    this.#reading = new Holding(() => this.unlockRead());
    this.#writing = new Holding(() => this.unlockWrite());
    this.#kernels = sharedKernels(seat.heap.memory);
    this.#held = offset + 4 * (slotWord(seat.rank) + HELD);
    this.#state = offset + 4 * STATE;
  }

  /** Begins to read, and waits while a PE writes. @throws as `lock` of a lock */
  lockRead(options?: WaitOptions): Hold<Repaired> {
    if (options === undefined && this.#begin("lockRead")) return this.#reading;
    return blockIn(this.#block, "lockRead", this.#toRead("lockRead"), options);
  }

  /** As {@link lockRead}, without blocking. */
  async lockReadAsync(options?: WaitOptions): Promise<Hold<Repaired>> {
    return awaitIn(this.#block, "lockReadAsync", this.#toRead("lockReadAsync"), options);
  }

  /** Begins to read if no PE writes, or waits for that; else null. @throws as `tryLock` of a lock */
  tryLockRead(): Hold<Repaired> | null {
    if (this.#begin("tryLockRead")) return this.#reading;
    const gone = this.#mutex.tryTake("tryLockRead");
    if (gone === undefined) return null;
    if (gone === NOBODY || this.#readers.ready()) return this.#readBehind(gone);
    this.#giveUp(gone);
    return null;
  }

  /** Ends to read. @throws UsageError if this PE does not read */
  unlockRead(): void {
    this.#block.check("unlockRead");
    const owner = this.#kernels.endRead(this.#held, this.#state);
    if (owner < 0) throw new UsageError(`unlockRead: this PE does not read under the ${this.#block.what}.`);
    this.#readers.tell(owner - 1);
  }

  /** Begins to write: waits for the PE that writes, and then for those that read. @throws as `lock` of a lock */
  lockWrite(options?: WaitOptions): Hold<Repaired> {
    return blockIn(this.#block, "lockWrite", this.#toWrite("lockWrite"), options);
  }

  /** As {@link lockWrite}, without blocking. */
  async lockWriteAsync(options?: WaitOptions): Promise<Hold<Repaired>> {
    return awaitIn(this.#block, "lockWriteAsync", this.#toWrite("lockWriteAsync"), options);
  }

  /** Begins to write if no PE reads or writes; else null. @throws as `tryLock` of a lock */
  tryLockWrite(): Hold<Repaired> | null {
    this.#checkWriter("tryLockWrite");
    const gone = this.#mutex.tryTake("tryLockWrite");
    if (gone === undefined) return null;
    if (this.#readers.ready()) return this.#written(gone);
    this.#giveUp(gone);
    return null;
  }

  /** Ends to write. @throws UsageError if this PE does not write */
  unlockWrite(): void {
    this.#block.check("unlockWrite");
    if (!this.#mutex.giveAtOnce()) this.#mutex.give("unlockWrite");
  }

  /** Whether this PE reads, or writes. */
  get isHeld(): boolean {
    return this.#readers.isReading || this.#mutex.isOwn;
  }

  /** As `leave` of a lock. */
  leave(): void {
    if (this.#readers.isReading || this.#mutex.isInUse) throw inUse(this.#block);
    this.#block.leave();
  }

  /** @returns whether this PE reads now; else a writer is there */
  #begin(call: string): boolean {
    this.#block.check(call);
    const owner = this.#kernels.beginRead(this.#held, this.#state);
    if (owner === 0) return true;
    this.#checkReader(call, owner < 0);
    // it may have seen the word of this PE, and sleep
    this.#readers.tell(owner - 1);
    return false;
  }

  *#toRead(call: string): Task<Hold<Repaired>> {
    if (this.#begin(call)) return this.#reading;
    const gone = yield* this.#mutex.taking(call);
    if (gone !== NOBODY) yield* this.#untilNoneReads(gone);
    return this.#readBehind(gone);
  }

  /** Reads by the turn of a writer, whose mutex this PE has. */
  #readBehind(gone: number): Hold<Repaired> {
    const { repaired } = this.#written(gone);
    this.#readers.begin();
    this.#mutex.give("lockRead");
    return gone === NOBODY ? this.#reading : new Holding(() => this.unlockRead(), repaired);
  }

  *#toWrite(call: string): Task<Hold<Repaired>> {
    this.#checkWriter(call);
    const gone = this.#mutex.takeFree() ? NOBODY : yield* this.#mutex.taking(call);
    yield* this.#untilNoneReads(gone);
    return this.#written(gone);
  }

  /** This PE has the mutex, so that no PE begins to read. */
  *#untilNoneReads(gone: number): Task<void> {
    if (this.#readers.ready()) return;
    this.#readers.await(true);
    try {
      yield this.#readers;
    } catch (error) {
      this.#giveUp(gone);
      throw error;
    } finally {
      this.#readers.await(false);
    }
  }

  /** What a writer that is gone has left is made whole: nobody reads. */
  #written(gone: number): Hold<Repaired> {
    if (gone === NOBODY || this.#repair === undefined) return this.#writing;
    return new Holding(() => this.unlockWrite(), repairBy(this.#mutex, this.#block, gone, this.#repair));
  }

  #giveUp(gone: number): void {
    if (gone === NOBODY) this.#mutex.give("unlock");
    else this.#mutex.giveTo(gone);
  }

  #checkWriter(call: string): void {
    this.#block.check(call);
    if (this.#readers.isReading) {
      throw new UsageError(
        `${call}: this PE reads under the ${this.#block.what}, and would wait for itself. End to read first.`,
      );
    }
  }

  #checkReader(call: string, isReading: boolean): void {
    if (!isReading && !this.#mutex.isOwn) return;
    throw new UsageError(
      `${call}: this PE ${isReading ? "reads" : "writes"} under the ${this.#block.what} already. A PE holds it as a whole, and once.`,
    );
  }
}

/** The readers of a lock, and the wait for their end. */
class Readers extends NamedCondition {
  readonly call: string;
  readonly #seat: Seat;
  readonly #word: number;
  readonly #i32: Int32Array;

  constructor(seat: Seat, word: number, what: string) {
    super();
    this.#seat = seat;
    this.#i32 = seat.heap.i32;
    this.#word = word;
    this.call = `${what}, for its readers`;
  }

  get whom(): string {
    return "PEs that read";
  }

  get awaited(): readonly number[] {
    const { members } = this.#seat;
    return members.filter((_, one) => this.#reads(one));
  }

  /** Whether nobody reads. */
  ready(): boolean {
    for (let one = 0; one < this.#seat.size; one++) if (this.#reads(one)) return false;
    return true;
  }

  get isReading(): boolean {
    return this.#i32[this.#heldOf(this.#seat.rank)] !== 0;
  }

  /** This PE reads: it has the mutex. */
  begin(): void {
    // pairs with the load in #reads() of the next writer
    Atomics.store(this.#i32, this.#heldOf(this.#seat.rank), 1);
  }

  /** This PE waits for them. */
  await(isWaiting: boolean): void {
    // pairs with the look of a reader that has ended
    Atomics.store(this.#i32, this.#word + slotWord(this.#seat.rank) + AWAITED, isWaiting ? 1 : 0);
  }

  /** Tells a writer that this PE does not read any more. @param writer -1 for none */
  tell(writer: number): void {
    if (writer >= 0) this.#seat.posted(writer, this.#word + slotWord(writer) + AWAITED);
  }

  override absent(): string {
    return `Still reading: ${pesText(this.awaited)}.`;
  }

  #reads(one: number): boolean {
    // pairs with the stores of beginRead() and endRead()
    return Atomics.load(this.#i32, this.#heldOf(one)) !== 0 && !isGone(this.#seat, one);
  }

  #heldOf(one: number): number {
    return this.#word + slotWord(one) + HELD;
  }
}

/**
 * Makes a reader-writer lock of the PEs of a group, all of one node. Collective, as {@link lock}.
 *
 *     const table = rwlock(pe);
 *     const held = table.lockRead();
 *     try { … } finally { held.unlock(); }
 *
 * @throws as lock
 */
export function rwlock<Repaired = undefined>(pe: Group, options: LockOptions<Repaired> = {}): ReadWriteLock<Repaired> {
  const making = { call: "rwlock", kind: "reader-writer lock", schema: LOCK_OPTIONS, bytes: syncBytes };
  return newReadWriteLock(sharedBlock(pe, making, options), options);
}

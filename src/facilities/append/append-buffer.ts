/**
 * Append buffers: each PE has a buffer into which every PE pushes, without knowing where the bytes will be, and without the owner's
 * doing. See docs/append.md.
 */

import { bytesUnder, lengthOf, viewBytes } from "../../ground/base/byte-length.ts";
import { RankRangeError, StateError, UsageError } from "../../ground/base/errors.ts";
import { checkOptions } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import { blocks, checkBlocking } from "../../ground/wait/blocking.ts";
import { WAIT, type WaitOptions } from "../../ground/wait/options.ts";
import { block, watched } from "../../ground/wait/waiter.ts";
import type { Seat } from "../../pe/seat.ts";
import { Arrived } from "./arrived.ts";
import { AppendOverflowError, type Buffers, freed, uncounted } from "./errors.ts";
import { STAGE_BYTES } from "./layout.ts";
import { type AppendTarget, MAX_BYTES, TARGET } from "./options.ts";
import type { OwnBuffer } from "./own-buffer.ts";
import { type AppendPush, CompletePush } from "./push.ts";
import type { Range, Region } from "./region.ts";
import type { Remote, RemotePush } from "./remote.ts";

/** The constructor of a typed array over shared memory. */
export interface ArrayOver<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: SharedArrayBuffer, byteOffset: number, length: number): T;
}

/** What one is made of. */
export interface AppendParts {
  readonly seat: Seat;
  /** This PE's buffer. */
  readonly own: OwnBuffer;
  /** The buffers into which this PE stores; null if it stores into none. */
  readonly region: Region | null;
  /** Ranks of the PEs whose buffers are in the region, in its order. */
  readonly near: readonly number[];
  readonly buffers: Buffers;
  readonly counting: boolean;
  /** Frees the memory when all PEs of the node have called it. */
  free(): void;
  /** What pushes to other nodes, and then frees the memory; null if there are none. */
  readonly remote: Remote | null;
}

/** A buffer of each PE into which all PEs push, as seen by one PE. */
export class AppendBuffer {
  /** This PE's rank, and the number of PEs. */
  readonly rank: number;
  readonly size: number;
  /** Bytes of each PE's buffer, by rank. */
  readonly lengths: readonly number[];
  readonly #seat: Seat;
  readonly #mayBlock: boolean;
  readonly #own: OwnBuffer;
  /** Used for the owners that have a number in it only. */
  readonly #region: Region;
  readonly #counting: boolean;
  readonly #name: string;
  readonly #buffers: Buffers;
  readonly #free: () => void;
  readonly #remote: Remote | null;
  readonly #near: readonly number[];
  /** By rank: its number in the region; -1 if its buffer is elsewhere. */
  readonly #numbers: Int32Array;
  readonly #u8: Uint8Array;
  readonly #range: Range = { at: 0, taken: 0 };
  /** The offset when the owner last looked; 0 if it has not since the last reset. */
  #looked = 0;
  /** Waits of this PE for pushes that are pending. */
  #awaiting = 0;
  /** The owner into whose buffer a push of this PE goes step by step; -1 if there is none. */
  #stepping = -1;
  #isFreed = false;
  /** The last array that was pushed and was no Uint8Array, and its bytes. */
  #array: ArrayBufferView | null = null;
  #bytes: Uint8Array = new Uint8Array(0);

  /** @internal see {@link appendBuffer} */
  constructor({ seat, own, region, near, buffers, counting, free, remote }: AppendParts) {
    this.rank = seat.rank;
    this.size = seat.size;
    this.lengths = buffers.lengths;
    this.#buffers = buffers;
    this.#seat = seat;
    this.#mayBlock = seat.waiter.mayBlock;
    this.#own = own;
    this.#region = region as Region;
    this.#counting = counting;
    this.#name = buffers.name;
    this.#free = free;
    this.#remote = remote;
    this.#u8 = seat.heap.u8;
    this.#near = near;
    this.#numbers = new Int32Array(seat.size).fill(-1);
    for (const [i, rank] of near.entries()) this.#numbers[rank] = i;
  }

  /**
   * Appends bytes to the buffer of PE `dest`. When it returns they are there; within a node it never waits. The pushes of one PE may
   * come in any order among those of others.
   * @param data any typed array or DataView: its bytes
   * @returns the bytes that were taken: all of them, or fewer with overflow: "truncate"
   * @throws AppendOverflowError if they do not fit and nothing is truncated: then nothing was written; RankRangeError, UsageError; StateError
   *   after free, and if the owner resets its buffer meanwhile
   */
  push(dest: number, data: ArrayBufferView): number {
    return this.pushBy("push", dest, data);
  }

  /** @internal as {@link push} @param call its name in errors */
  pushBy(call: string, dest: number, data: ArrayBufferView): number {
    if (!this.#mayBlock) throw blocks(call, `${call}Async()`);
    const owner = this.#owner(call, dest);
    if (owner >= 0) return this.#append(call, owner, dest, data);
    return this.#start(call, dest, data).wait();
  }

  /** A push into memory that this PE has. */
  #append(call: string, owner: number, dest: number, data: ArrayBufferView): number {
    let source = data as Uint8Array;
    let bytes = lengthOf(data);
    if (bytes < 0) {
      source = this.#bytesOf(call, data);
      bytes = source.length;
    }
    if (owner === this.#stepping) return this.#appendAmid(call, owner, dest, source, bytes);
    if (bytes <= STAGE_BYTES) {
      const taken = this.#region.push(owner, source, bytes);
      if (taken >= 0) {
        this.#seat.posted(this.#near[owner] as number, this.#region.awaited(owner));
        return taken;
      }
    }
    return this.#fill(call, owner, dest, source, bytes);
  }

  /** A push while another one to that owner goes step by step; apart, as what a closure holds is allocated for each call. */
  #appendAmid(call: string, owner: number, dest: number, source: Uint8Array, bytes: number): number {
    return this.#region.amid(owner, () => this.#fill(call, owner, dest, source, bytes));
  }

  /** A push by its steps: of much data, or one that has no room. */
  #fill(call: string, owner: number, dest: number, source: Uint8Array, bytes: number): number {
    this.#reserve(call, owner, dest, bytes);
    const { at, taken } = this.#range;
    this.#put(source, bytes, at, taken);
    return this.#complete(owner, bytes);
  }

  /**
   * As {@link push}, without blocking the thread. Do not change the data until the promise is settled.
   * @throws as push
   */
  pushAsync(dest: number, data: ArrayBufferView): Promise<number> {
    return this.pushAsyncBy("pushAsync", dest, data);
  }

  /** @internal as {@link pushAsync} @param call its name in errors */
  async pushAsyncBy(call: string, dest: number, data: ArrayBufferView): Promise<number> {
    const owner = this.#owner(call, dest);
    if (owner < 0) return this.#start(call, dest, data).waitAsync();
    const { step, rank } = this.#seat;
    // a writer has one push under way; the owner itself pushes while it answers those of other nodes
    if (step === undefined || this.#stepping >= 0 || dest === rank) {
      return this.#append(call, owner, dest, data);
    }
    const source = this.#bytesOf(call, data);
    const bytes = lengthOf(source);
    this.#stepping = owner;
    try {
      await step(0);
      this.#reserve(call, owner, dest, bytes);
      const { at, taken } = this.#range;
      await step(0);
      this.#put(source, bytes, at, taken);
      await step(taken);
      this.#range.taken = taken;
      return this.#complete(owner, bytes);
    } finally {
      this.#stepping = -1;
    }
  }

  /**
   * Begins a push and returns at once. Do not change the data until it is complete. Within a node it is complete already.
   * @throws as push, if it is known now; else the push throws it when it is waited for
   */
  pushStart(dest: number, data: ArrayBufferView): AppendPush {
    return this.pushStartBy("pushStart", dest, data);
  }

  /** @internal as {@link pushStart} @param call its name in errors */
  pushStartBy(call: string, dest: number, data: ArrayBufferView): AppendPush {
    if (!this.#mayBlock) throw blocks(call, `${call.slice(0, -"Start".length)}Async()`);
    const owner = this.#owner(call, dest);
    if (owner >= 0) return new CompletePush(this.#append(call, owner, dest, data));
    return this.#start(call, dest, data);
  }

  /**
   * Waits until all pushes that this PE has started are complete.
   * @throws as push: the error of the first one that was refused, unless its own wait has said so
   */
  sync(): void {
    checkBlocking(this.#seat.waiter, "sync");
    this.#check("sync");
    const remote = this.#remote;
    remote?.wait("sync", () => remote.isIdle);
    remote?.throwFailed();
  }

  /** As {@link sync}, without blocking. */
  async syncAsync(): Promise<void> {
    this.#check("syncAsync");
    const remote = this.#remote;
    await remote?.until("syncAsync", () => remote.isIdle);
    remote?.throwFailed();
  }

  /** Bytes of this PE's buffer. */
  get length(): number {
    return this.lengths[this.rank] as number;
  }

  /** Position of the next byte to be pushed into this PE's buffer, at most its length. What is below may not be readable yet. */
  get offset(): number {
    this.#check("offset");
    this.#looked = this.#own.offset;
    return this.#looked;
  }

  /**
   * Bytes of this PE's buffer below which all is readable: where the first push begins that is under way, else {@link offset}.
   * It never decreases between two resets.
   */
  get completed(): number {
    this.#check("completed");
    const { completed } = this.#own;
    this.#looked = Math.max(this.#looked, completed);
    return completed;
  }

  /** Messages in this PE's buffer that are complete. One that was truncated to nothing does not count. @throws StateError with counting: false */
  get messages(): number {
    this.#check("messages");
    if (!this.#counting) throw uncounted("messages", this.#name);
    return this.#own.messages;
  }

  /**
   * The bytes of this PE's buffer that are complete, as a view of the heap: no copy.
   */
  data(): Uint8Array;
  /** As above. @param type of the view, such as Float64Array. Bytes at the end that make no whole element are left out */
  data<T extends TypedArray>(type: ArrayOver<T>): T;
  data<T extends TypedArray>(type: ArrayOver<T> = Uint8Array as unknown as ArrayOver<T>): T {
    const bytes = this.completed;
    const each: unknown = typeof type === "function" ? type.BYTES_PER_ELEMENT : undefined;
    if (typeof each !== "number") {
      throw new UsageError(
        `data: expected the constructor of a typed array (Float64Array, …), got ${shortText(type)}`,
      );
    }
    return new type(this.#seat.heap.buffer, this.#own.start, Math.floor(bytes / each));
  }

  /** @internal the heap, and where this PE's buffer begins in it */
  get memory(): SharedArrayBuffer {
    return this.#seat.heap.buffer;
  }

  /** @internal */
  get start(): number {
    this.#check("at");
    return this.#own.start;
  }

  /**
   * Waits until so much has come into this PE's buffer. A wait that fails has changed nothing.
   * @throws TimeoutError, which names PEs that are in a push; RankLostError if no PE is left that could push; the error that ended
   *   the world; UsageError; StateError for messages with counting: false
   */
  waitUntil(target: AppendTarget, options: WaitOptions = {}): void {
    checkBlocking(this.#seat.waiter, "waitUntil");
    const condition = this.#waiting("waitUntil", target, options);
    if (condition.spin(1)) return;
    const { waiter } = this.#seat;
    this.#await();
    try {
      watched(waiter, condition, () => block(waiter, condition), options.timeout);
    } finally {
      this.#awaited();
    }
  }

  /** As {@link waitUntil}, without blocking. @throws also AbortedError */
  async waitUntilAsync(target: AppendTarget, options: WaitOptions = {}): Promise<void> {
    const condition = this.#waiting("waitUntilAsync", target, options);
    if (condition.ready()) return;
    const { waits, waiter } = this.#seat;
    const deadline = waits.now() + (options.timeout ?? waiter.timeout);
    this.#await();
    try {
      // what came before the writers knew
      if (!condition.ready()) {
        await waits.until(condition, { deadline, signal: options.signal, watcher: condition });
      }
      if (this.#isFreed) throw freed("waitUntilAsync", this.#name);
    } finally {
      this.#awaited();
    }
  }

  /** Writers wake this PE from now on. */
  #await(): void {
    if (this.#awaiting++ === 0) this.#own.await(true);
  }

  #awaited(): void {
    if (--this.#awaiting === 0 && !this.#isFreed) this.#own.await(false);
  }

  #waiting(call: string, target: AppendTarget, options: WaitOptions): Arrived {
    this.#check(call);
    checkOptions(call, TARGET, target);
    if (target.messages !== undefined && !this.#counting) throw uncounted(call, this.#name);
    checkOptions(call, WAIT, options);
    if ((target.bytes ?? 0) > this.length) {
      throw new UsageError(
        `${call}: bytes: expected at most the ${this.length} of this PE's buffer, got ${target.bytes}`,
      );
    }
    return new Arrived(call, this.#seat, this.#own, this.#near, target, this.#name, () => this.#isFreed);
  }

  /**
   * Empties this PE's buffer: the next push begins at position 0. Local: order it after reading, and before any push of the next phase, as
   * between two barriers.
   * @throws StateError if a push is under way, or, where checks are on, has come since this PE last looked: it would be lost
   */
  reset(): void {
    this.#check("reset");
    const own = this.#own;
    const [first] = own.pending();
    if (first !== undefined) {
      const pe = first.writer < 0 ? "a PE" : `PE ${this.#seat.members[this.#near[first.writer] as number]}`;
      const what = first.bytes < 0 ? "a push" : `a push of ${first.bytes} bytes`;
      throw new StateError(`reset: ${pe} is in ${what} into this buffer. ${ORDER}`);
    }
    const unseen = this.#seat.checks ? own.offset - this.#looked : 0;
    if (unseen > 0) {
      throw new StateError(
        `reset: ${unseen} bytes have come since this PE last looked at the buffer, and would be lost. ${ORDER}`,
      );
    }
    if (!own.reset()) throw new StateError(`reset: a push came during it, and its bytes are lost. ${ORDER}`);
    this.#looked = 0;
  }

  /**
   * Frees the memory; it does not wait. Until the others have freed it, too, they may push into this PE's buffer, which nobody reads any
   * more. The heap gets the memory back when all PEs have freed it; a PE that never does so does it when its main returns.
   * Views of {@link data} must not be used any more. A second call has no effect.
   */
  free(): void {
    if (this.#isFreed) return;
    if (this.#awaiting > 0) this.#own.await(false);
    this.#isFreed = true;
    if (this.#remote === null) this.#free();
    else this.#remote.close();
  }

  /** As {@link free}. */
  [Symbol.dispose](): void {
    this.free();
  }

  /** Its number in the region; -1 if its buffer is elsewhere. */
  #owner(call: string, dest: number): number {
    if (this.#isFreed) throw freed(call, this.#name);
    if (!(typeof dest === "number" && dest >>> 0 === dest && dest < this.size)) {
      throw new RankRangeError(`${call}: expected a rank from 0 to ${this.size - 1}, got ${shortText(dest)}`);
    }
    return this.#numbers[dest] as number;
  }

  #start(call: string, dest: number, data: ArrayBufferView): RemotePush {
    return (this.#remote as Remote).start(call, dest, this.#bytesOf(call, data));
  }

  #reserve(call: string, owner: number, dest: number, bytes: number): void {
    // the kernels count in 32 bits; no buffer has as many
    if (this.#region.reserve(owner, Math.min(bytes, MAX_BYTES), this.#range)) return;
    throw new AppendOverflowError(this.#buffers, { call, dest, wanted: bytes, left: this.#range.taken });
  }

  #complete(owner: number, bytes: number): number {
    const { taken } = this.#range;
    this.#region.complete(owner, this.#range, bytes);
    this.#seat.posted(this.#near[owner] as number, this.#region.awaited(owner));
    return taken;
  }

  /** Copies the first `taken` of the bytes to the heap. */
  #put(source: Uint8Array, bytes: number, at: number, taken: number): void {
    if (taken === 0) return;
    if (source.buffer === this.#seat.heap.buffer) this.#region.copy(at, source.byteOffset, taken);
    else this.#u8.set(taken === bytes ? source : source.subarray(0, taken), at);
  }

  /** The bytes of what is pushed, whatever its own properties say. @throws UsageError unless it is a view that is not detached */
  #bytesOf(call: string, data: ArrayBufferView): Uint8Array {
    if (lengthOf(data) >= 0) return data as Uint8Array;
    const bytes = viewBytes(data);
    if (bytes < 0) {
      throw new UsageError(
        `${call}: expected a typed array or a DataView that is not detached, got ${shortText(data)}`,
      );
    }
    if (data !== this.#array || this.#bytes.length !== bytes) {
      this.#array = data;
      this.#bytes = bytesUnder(data);
    }
    return this.#bytes;
  }

  #check(call: string): void {
    if (this.#isFreed) throw freed(call, this.#name);
    this.#seat.checkGroup();
  }
}

const ORDER =
  "Order the reset after reading, and before any push of the next phase, as between two barriers; a PE that wants to discard what has come " +
  "reads offset first.";

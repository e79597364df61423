/**
 * Append buffers: each PE has a buffer into which every PE pushes, without knowing where the bytes will be, and without
 * the owner's doing. See docs/append.md.
 */

import { StateError, UsageError } from "../../ground/base/errors.ts";
import { checkOptions } from "../../ground/base/options.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import { checkBlocking } from "../../ground/wait/blocking.ts";
import { WAIT, type WaitOptions } from "../../ground/wait/options.ts";
import { awaitOn, blockOn, type Task } from "../../ground/wait/task.ts";
import type { Seat } from "../../pe/seat.ts";
import { Arrived } from "./arrived.ts";
import { freed, uncounted } from "./errors.ts";
import { type AppendTarget, TARGET } from "./options.ts";
import type { OwnBuffer } from "./own-buffer.ts";
import { OwnPushes, type OwnPushesParts } from "./own-pushes.ts";
import type { AppendPush } from "./push.ts";

/** The constructor of a typed array over shared memory. */
export interface ArrayOver<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: SharedArrayBuffer, byteOffset: number, length: number): T;
}

/** The parts of a buffer. */
export interface AppendParts extends OwnPushesParts {
  /** This PE's buffer. */
  readonly own: OwnBuffer;
  readonly counting: boolean;
}

/** Calls that records need of a buffer of bytes, beside those of programs. */
export interface BufferInside {
  readonly pushing: OwnPushes;
  readonly memory: SharedArrayBuffer;
  /** Where this PE's buffer begins in it. */
  start(call: string): number;
}

export let makeBuffer: (parts: AppendParts) => AppendBuffer;
export let insideOf: (buffer: AppendBuffer) => BufferInside;

/** A buffer of each PE into which all PEs push, as seen by one PE. */
export class AppendBuffer {
  /** This PE's rank, and the number of PEs. */
  readonly rank: number;
  readonly size: number;
  /** Bytes of each PE's buffer, by rank. */
  readonly lengths: readonly number[];
  readonly #seat: Seat;
  readonly #pushing: OwnPushes;
  readonly #own: OwnBuffer;
  readonly #near: readonly number[];
  readonly #counting: boolean;
  readonly #name: string;
  /** The offset when the owner last looked; 0 if it has not since the last reset. */
  #looked = 0;
  /** Waits of this PE for pushes that are pending. */
  #awaiting = 0;

  static {
    makeBuffer = (parts) => new AppendBuffer(parts);
    insideOf = (buffer) => buffer.#inside;
  }

  private constructor(parts: AppendParts) {
    const { seat, own, near, buffers, counting } = parts;
    this.rank = seat.rank;
    this.size = seat.size;
    this.lengths = buffers.lengths;
    this.#seat = seat;
    this.#pushing = new OwnPushes(parts);
    this.#own = own;
    this.#near = near;
    this.#counting = counting;
    this.#name = buffers.name;
  }

  get #inside(): BufferInside {
    const start = (call: string) => {
      this.#check(call);
      return this.#own.start;
    };
    return { pushing: this.#pushing, memory: this.#seat.heap.buffer, start };
  }

  /**
   * Appends bytes to the buffer of PE `dest`. When it returns they are there; within a node it never waits. The pushes
   * of one PE may come in any order among those of others.
   * @param data any typed array or DataView: its bytes
   * @returns the bytes that were taken: all of them, or fewer with overflow: "truncate"
   * @throws AppendOverflowError if they do not fit and nothing is truncated: then nothing was written; RankRangeError,
   * UsageError; StateError after free, and if the owner resets its buffer meanwhile
   */
  push(dest: number, data: ArrayBufferView): number {
    return this.#pushing.push("push", dest, data);
  }

  /** As {@link push}, without blocking. Do not change the data until the promise is settled. @throws as push */
  pushAsync(dest: number, data: ArrayBufferView): Promise<number> {
    return this.#pushing.pushAsync("pushAsync", dest, data);
  }

  /**
   * Begins a push and returns at once. Do not change the data until it is complete. Within a node it is complete
   * already.
   * @throws as push, if it is known now; else the push throws it when it is waited for
   */
  pushStart(dest: number, data: ArrayBufferView): AppendPush {
    return this.#pushing.pushStart("pushStart", dest, data);
  }

  /**
   * Waits until all pushes that this PE has started are complete.
   * @throws as push: the error of the first one that was refused, unless its own wait has said so
   */
  sync(): void {
    checkBlocking(this.#seat.waiter, "sync");
    this.#check("sync");
    blockOn(this.#seat, this.#pushing.sync("sync"));
  }

  /** As {@link sync}, without blocking. */
  async syncAsync(): Promise<void> {
    this.#check("syncAsync");
    await awaitOn(this.#seat, this.#pushing.sync("syncAsync"));
  }

  /** Bytes of this PE's buffer. */
  get length(): number {
    return this.lengths[this.rank] as number;
  }

  /** Position of the next byte pushed into this PE's buffer, at most its length. Not all below may be readable. */
  get offset(): number {
    this.#check("offset");
    this.#looked = this.#own.offset;
    return this.#looked;
  }

  /**
   * Bytes of this PE's buffer below which all is readable: where the first push begins that is under way, else
   * {@link offset}. It never decreases between two resets.
   */
  get completed(): number {
    this.#check("completed");
    const { completed } = this.#own;
    this.#looked = Math.max(this.#looked, completed);
    return completed;
  }

  /** Complete messages in this PE's buffer; not those truncated to nothing. @throws StateError with counting: false */
  get messages(): number {
    this.#check("messages");
    if (!this.#counting) throw uncounted("messages", this.#name);
    return this.#own.messages;
  }

  /** The bytes of this PE's buffer that are complete, as a view of the heap: no copy. */
  data(): Uint8Array;
  /** As above. @param type of the view, such as Float64Array. Bytes at the end that make no element are left out */
  data<T extends TypedArray>(type: ArrayOver<T>): T;
  data<T extends TypedArray>(type: ArrayOver<T> = Uint8Array as unknown as ArrayOver<T>): T {
    const bytes = this.completed;
    const each: unknown = typeof type === "function" ? type.BYTES_PER_ELEMENT : undefined;
    if (typeof each !== "number") {
      throw new UsageError(`data: expected the constructor of a typed array (Float64Array, …), got ${shortText(type)}`);
    }
    return new type(this.#seat.heap.buffer, this.#own.start, Math.floor(bytes / each));
  }

  /**
   * Waits until so much has come into this PE's buffer. A wait that fails has changed nothing.
   * @throws TimeoutError, which names PEs that are in a push; RankLostError if no PE is left that could push; the error
   * that ended the world; UsageError; StateError for messages with counting: false
   */
  waitUntil(target: AppendTarget, options: WaitOptions = {}): void {
    checkBlocking(this.#seat.waiter, "waitUntil");
    const arrived = this.#arrived("waitUntil", target, options);
    blockOn(this.#seat, this.#until("waitUntil", arrived), options.timeout);
  }

  /** As {@link waitUntil}, without blocking. @throws also AbortedError */
  async waitUntilAsync(target: AppendTarget, options: WaitOptions = {}): Promise<void> {
    const arrived = this.#arrived("waitUntilAsync", target, options);
    await awaitOn(this.#seat, this.#until("waitUntilAsync", arrived), options);
  }

  *#until(call: string, arrived: Arrived): Task<void> {
    if (arrived.ready()) return;
    // writers wake this PE from now on; what came before they knew is looked at once more
    if (this.#awaiting++ === 0) this.#own.await(true);
    try {
      yield arrived;
      if (this.#pushing.isFreed) throw freed(call, this.#name);
    } finally {
      if (--this.#awaiting === 0 && !this.#pushing.isFreed) this.#own.await(false);
    }
  }

  #arrived(call: string, target: AppendTarget, options: WaitOptions): Arrived {
    this.#check(call);
    checkOptions(call, TARGET, target);
    if (target.messages !== undefined && !this.#counting) throw uncounted(call, this.#name);
    checkOptions(call, WAIT, options);
    if ((target.bytes ?? 0) > this.length) {
      throw new UsageError(
        `${call}: bytes: expected at most the ${this.length} of this PE's buffer, got ${target.bytes}`,
      );
    }
    const isFreed = () => this.#pushing.isFreed;
    return new Arrived(call, this.#seat, target, { own: this.#own, near: this.#near, name: this.#name, isFreed });
  }

  /**
   * Empties this PE's buffer: the next push begins at position 0. Local: order it after reading, and before any push of
   * the next phase, as between two barriers.
   * @throws StateError if a push is under way, or, where checks are on, has come since this PE last looked: it would be
   * lost
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
   * Frees the memory; it does not wait. Until the others have freed it, too, they may push into this PE's buffer, which
   * nobody reads any more. The heap gets the memory back when all PEs have freed it; a PE that never does so does it
   * when its main returns. Views of {@link data} must not be used any more. A second call has no effect.
   */
  free(): void {
    if (this.#pushing.isFreed) return;
    if (this.#awaiting > 0) this.#own.await(false);
    this.#pushing.free();
  }

  /** As {@link free}. */
  [Symbol.dispose](): void {
    this.free();
  }

  #check(call: string): void {
    if (this.#pushing.isFreed) throw freed(call, this.#name);
    this.#seat.checkGroup();
  }
}

const ORDER =
  "Order the reset after reading, and before any push of the next phase, as between two barriers; a PE that wants to discard what has come " +
  "reads offset first.";

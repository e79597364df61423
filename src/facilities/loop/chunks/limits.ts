/** What may end a loop early at one PE, and whom it tells how far it is. */
import { AbortedError, TimeoutError } from "../../../ground/base/errors.ts";
import type { Seat } from "../../../pe/seat.ts";
import type { Slot } from "./layout.ts";
import { abortedBy, type LoopOptions } from "./options.ts";

/** Least time between two calls of onProgress, ms. */
const PROGRESS_MS = 100;

const LEAST_GRACE_MS = 1000;

/** Whether there is anything to look at between chunks. */
export const isLimited = ({ signal, timeout, onProgress }: LoopOptions): boolean =>
  signal !== undefined || timeout !== undefined || onProgress !== undefined;

/** Iterations that are over on this node. */
export function doneOf(i32: Int32Array, { done: words }: Slot): number {
  let done = 0;
  // plain stores of their PEs, seen late perhaps: it is a report
  for (const word of words) done += Atomics.load(i32, word) >>> 0;
  return done;
}

/** What the other nodes have done, of a loop over nodes. */
export interface Elsewhere {
  readonly done: number;
  /** Has them tell it. */
  askDone(): void;
}

/** Of one loop at one PE. */
export class LoopLimits {
  /** Over nodes. */
  elsewhere: Elsewhere | null = null;
  readonly signal: AbortSignal | undefined;
  readonly timeout: number | undefined;
  readonly #call: string;
  readonly #seat: Seat;
  readonly #slot: Slot;
  readonly #total: number;
  readonly #onProgress: LoopOptions["onProgress"];
  readonly #end: number;
  #toldAt: number;

  constructor(call: string, seat: Seat, slot: Slot, total: number, options: LoopOptions) {
    const { signal, timeout, onProgress } = options;
    this.signal = signal;
    this.timeout = timeout;
    this.#call = call;
    this.#seat = seat;
    this.#slot = slot;
    this.#total = total;
    this.#onProgress = onProgress;
    this.#toldAt = seat.waits.now();
    this.#end = this.#toldAt + (timeout ?? Number.POSITIVE_INFINITY);
  }

  /** ms until the timeout; undefined if there is none. */
  get left(): number | undefined {
    return this.timeout === undefined ? undefined : Math.max(0, this.#end - this.#seat.waits.now());
  }

  /** Whether there is something to throw, or to tell. */
  get isDue(): boolean {
    const now = this.#seat.waits.now();
    return this.signal?.aborted === true || now >= this.#end || this.#isToldAgain(now);
  }

  #isToldAgain(now: number): boolean {
    return this.#onProgress !== undefined && now - this.#toldAt >= PROGRESS_MS;
  }

  /** Between two chunks. @throws TimeoutError, AbortedError; what onProgress throws */
  look(): void {
    if (this.signal?.aborted) throw abortedBy(this.#call, this.signal);
    const now = this.#seat.waits.now();
    if (now >= this.#end) throw this.#exceeded();
    this.#tell(now);
  }

  /** While the PE waits for others. @throws what onProgress throws */
  tell(): void {
    this.#tell(this.#seat.waits.now());
  }

  #tell(now: number): void {
    if (!this.#isToldAgain(now)) return;
    this.#toldAt = now;
    this.elsewhere?.askDone();
    this.#onProgress?.(Math.min(this.#done(), this.#total), this.#total);
  }

  /** The loop is over at all PEs. */
  complete(): void {
    this.#onProgress?.(this.#total, this.#total);
  }

  /** How long others get for the chunk that they are in, once the loop is stopped, ms; undefined for no limit. */
  get grace(): number | undefined {
    return this.timeout === undefined ? undefined : Math.max(LEAST_GRACE_MS, this.timeout);
  }

  /** Why the loop ends, of the error of a wait for the others. */
  reasonOf(error: unknown): unknown {
    if (error instanceof AbortedError && this.signal !== undefined) return abortedBy(this.#call, this.signal);
    return error instanceof TimeoutError && this.left === 0 ? this.#exceeded() : error;
  }

  #exceeded(): TimeoutError {
    return new TimeoutError(
      `${this.#call}: expected the loop to end within ${this.timeout} ms; ${this.#done()} of ${this.#total} iterations are over. ` +
        "Give it more time, or less to do; what has been done is not undone.",
    );
  }

  #done(): number {
    return doneOf(this.#seat.heap.i32, this.#slot) + (this.elsewhere?.done ?? 0);
  }
}

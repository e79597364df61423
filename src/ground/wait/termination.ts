/**
 * The termination of a world: one shared word that every wait checks, so that no wait outlives its world. The first
 * thread to set it (a PE that throws, the launcher that sees a PE die, a timer, a signal) wins. The error is stored
 * beside it as bytes, so that every PE can throw it with its cause.
 */

import { decodeVerdict, encodeVerdict, type Verdict } from "../base/account.ts";
import { threwText } from "../base/call-site/threw.ts";
import {
  AbortedError,
  MismatchError,
  RankLostError,
  sentenceOf,
  TimeoutError,
  type TundishError,
  WorldClosedError,
} from "../base/errors.ts";
import { monotonic } from "../base/event-loop/timers.ts";
import { withoutStop } from "../base/short-text.ts";
import { LINE } from "../memory/heap-layout.ts";
import {
  ABORTED,
  CLOSED,
  LOST,
  MISMATCHED,
  RUNNING,
  TERMINATION_ACCOUNT_BYTES,
  TERMINATION_BYTES,
  TERMINATION_RANK,
  TERMINATION_STATE,
  TIMED_OUT,
  TROUBLE,
  WRITING,
} from "./layout.ts";
import { Losses } from "./losses.ts";

/** The ways in which a world can end. */
export type Ending = typeof LOST | typeof TIMED_OUT | typeof ABORTED | typeof CLOSED | typeof MISMATCHED;

/** How a world ended, as data that one node sends to the others. */
export interface EndRecord {
  readonly ending: Ending;
  readonly rank: number;
  /** The account (account.ts), in base64. */
  readonly account: string;
}

/** Longest wait of a reader for an account that is being written, ms. */
const WRITING_TIMEOUT_MS = 100;

/** The shared termination, as seen by one thread. */
export class Termination {
  /** Called when this thread ends the world, and before it throws how that ended: it notes the program's place. */
  onEnd: (() => void) | null = null;
  readonly #i32: Int32Array;
  readonly #u8: Uint8Array;
  readonly #word: number;
  readonly #losses: Losses;
  readonly #clock: () => number;

  /** @param offset byte offset of the wait area (layout.ts) in the heap @param clock for tests */
  constructor(
    i32: Int32Array,
    u8: Uint8Array,
    offset: number,
    losses: Losses = new Losses(i32, offset, 0),
    clock: () => number = monotonic,
  ) {
    this.#clock = clock;
    this.#i32 = i32;
    this.#u8 = u8;
    this.#word = offset / 4;
    this.#losses = losses;
  }

  /** Word index of the state, which is 0 while the world runs; for hot code that reads it without a call. */
  get word(): number {
    return this.#word + TERMINATION_STATE;
  }

  /** Whether the world has ended. */
  get decided(): boolean {
    return this.#hasEnded;
  }

  get #hasEnded(): boolean {
    // pairs with the store in #decide()
    return Atomics.load(this.#i32, this.#word + TERMINATION_STATE) !== RUNNING;
  }

  /**
   * Ends the world, unless it has ended already. In a world that goes on without lost PEs, a PE is lost instead
   * (losses.ts). The caller then wakes every sleeper.
   */
  decide(ending: Ending, verdict: Verdict): boolean {
    this.onEnd?.();
    if (ending === LOST && verdict.rank >= 0 && this.#losses.areSurvived) {
      // a PE that ends with its world is not lost
      return !this.#hasEnded && this.#losses.lose(verdict.rank, verdict.message);
    }
    // encoded before the word is taken, as encoding runs the error's own code, such as getters
    return this.#decide(ending, verdict.rank, encodeVerdict(verdict, TERMINATION_ACCOUNT_BYTES));
  }

  /** As {@link decide}, with what a PE threw. @param rank of the PE */
  decideBy(rank: number, error: Error): boolean {
    // anything can be thrown
    const cause = (error as Error | null | undefined)?.cause;
    const ending = endingOf(error);
    return this.decide(
      ending,
      error instanceof RankLostError
        ? { rank: error.rank, message: sentenceOf(error), cause }
        : ending === LOST
          ? { rank, message: threwText(rank, error), cause: error }
          : { rank, message: sentenceOf(error), cause },
    );
  }

  /** As {@link decide}, for a world that ended on another node. */
  adopt({ ending, rank, account }: EndRecord): boolean {
    return this.#decide(ending, rank, Buffer.from(account, "base64"));
  }

  #decide(ending: Ending, rank: number, account: Uint8Array): boolean {
    // only one thread succeeds: pairs with the same exchange by other threads
    if (Atomics.compareExchange(this.#i32, this.#word + TERMINATION_STATE, RUNNING, WRITING) !== RUNNING) return false;
    this.#u8.set(account, this.#word * 4 + LINE);
    this.#i32[this.#word + TERMINATION_RANK] = rank;
    this.#i32[this.#word + TERMINATION_BYTES] = account.length;
    // publishes the account: pairs with the loads in `decided` and record()
    Atomics.store(this.#i32, this.#word + TERMINATION_STATE, ending);
    Atomics.store(this.#i32, this.#word + TROUBLE, 1);
    return true;
  }

  /** How the world ended; null while it runs, and if the thread that ended it was killed while it wrote the account. */
  record(): EndRecord | null {
    const clock = this.#clock;
    const until = clock() + WRITING_TIMEOUT_MS;
    // pairs with the store in #decide()
    let state = Atomics.load(this.#i32, this.#word + TERMINATION_STATE);
    while (state === WRITING && clock() < until) state = Atomics.load(this.#i32, this.#word + TERMINATION_STATE);
    if (state === RUNNING || state === WRITING) return null;
    const from = this.#word * 4 + LINE;
    const bytes = this.#u8.slice(from, from + this.#i32[this.#word + TERMINATION_BYTES]);
    const account = Buffer.from(bytes).toString("base64");
    return { ending: state as Ending, rank: this.#i32[this.#word + TERMINATION_RANK], account };
  }

  /**
   * The error that every wait of this world throws from now on.
   * @param more a further sentence; none for what has a cause of its own, which is the program's
   */
  error(more = ""): TundishError {
    this.onEnd?.();
    const record = this.record();
    if (record === null)
      return new WorldClosedError(
        "The world has ended; the thread that ended it was killed before it could report why",
      );
    const error = errorOf(record, more);
    // a stack has ten lines: those of here would take the place of the caller's
    Error.captureStackTrace?.(error, this.error);
    return error;
  }
}

function endingOf(error: Error): Ending {
  if (error instanceof TimeoutError) return TIMED_OUT;
  if (error instanceof AbortedError) return ABORTED;
  return error instanceof MismatchError ? MISMATCHED : LOST;
}

/** The error that describes how a world ended. */
export function errorOf({ ending, rank, account }: EndRecord, more = ""): TundishError {
  const { message, ...rest } = decodeVerdict(Buffer.from(account, "base64"));
  const isOwn = rest.cause === undefined && ending !== CLOSED && more !== "";
  return endingError(ending, {
    rank,
    ...rest,
    message: isOwn ? `${withoutStop(message)}. ${more}` : message,
  });
}

/** The error of this verdict. */
export function endingError(ending: Ending, { rank, message, ...options }: Verdict): TundishError {
  switch (ending) {
    case TIMED_OUT:
      return new TimeoutError(message, options);
    case ABORTED:
      return new AbortedError(message, options);
    case MISMATCHED:
      return new MismatchError(message, options);
    case CLOSED:
      return new WorldClosedError(message, options);
    default:
      return new RankLostError(rank, message, options);
  }
}

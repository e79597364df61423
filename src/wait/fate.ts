/**
 * The fate of a world: one shared word that every wait looks at, so that no wait outlives its world.
 * The first to decide it (a PE that throws, the launcher that sees a PE die, a timer, a signal) wins;
 * the error travels as text beside it, so that every PE can throw it with its cause.
 */
import {
  AbortedError,
  MismatchError,
  RankLostError,
  TimeoutError,
  type TundishError,
  WorldClosedError,
} from "../errors.ts";
import { LINE } from "../memory/heap-layout.ts";
import { decodeVerdict, encodeVerdict, type Verdict } from "./account.ts";
import {
  ABORTED,
  CLOSED,
  FATE_BYTES,
  FATE_RANK,
  FATE_STATE,
  FATE_TEXT_BYTES,
  type LOST,
  MISMATCHED,
  RUNNING,
  TIMED_OUT,
  WRITING,
} from "./layout.ts";

/** How a world can end. */
export type Ending = typeof LOST | typeof TIMED_OUT | typeof ABORTED | typeof CLOSED | typeof MISMATCHED;

/** How long a reader waits for the text of a fate that is just being written. */
const WRITING_PATIENCE_MS = 100;

/** The shared fate, seen from one thread. */
export class Fate {
  readonly #i32: Int32Array;
  readonly #u8: Uint8Array;
  readonly #word: number;

  /** @param offset byte offset of the wait area (layout.ts) in the heap */
  constructor(i32: Int32Array, u8: Uint8Array, offset: number) {
    this.#i32 = i32;
    this.#u8 = u8;
    this.#word = offset / 4;
  }

  /** Word index of the state: 0 while the world runs. For hot code that looks at it without a call. */
  get word(): number {
    return this.#word + FATE_STATE;
  }

  /** Whether the world has ended. */
  get decided(): boolean {
    // pairs with the store in decide()
    return Atomics.load(this.#i32, this.#word + FATE_STATE) !== RUNNING;
  }

  /** Ends the world, unless it has ended already. The caller then wakes every sleeper. */
  decide(ending: Ending, verdict: Verdict): boolean {
    // before the word is taken: it runs code of the error's own, such as getters
    const text = encodeVerdict(verdict, FATE_TEXT_BYTES);
    // one winner: pairs with the same call of the others
    if (Atomics.compareExchange(this.#i32, this.#word + FATE_STATE, RUNNING, WRITING) !== RUNNING)
      return false;
    this.#u8.set(text, this.#word * 4 + LINE);
    this.#i32[this.#word + FATE_RANK] = verdict.rank;
    this.#i32[this.#word + FATE_BYTES] = text.length;
    // publishes the text: pairs with the loads in `decided` and error()
    Atomics.store(this.#i32, this.#word + FATE_STATE, ending);
    return true;
  }

  /** The error that a wait of this world throws now. */
  error(): TundishError {
    const until = performance.now() + WRITING_PATIENCE_MS;
    let state = Atomics.load(this.#i32, this.#word + FATE_STATE);
    while (state === WRITING && performance.now() < until)
      state = Atomics.load(this.#i32, this.#word + FATE_STATE);
    if (state === WRITING)
      return new WorldClosedError("The world has ended; who ended it was killed meanwhile");
    const from = this.#word * 4 + LINE;
    const text = this.#u8.slice(from, from + this.#i32[this.#word + FATE_BYTES]);
    const { message, ...options } = decodeVerdict(text);
    switch (state) {
      case TIMED_OUT:
        return new TimeoutError(message, options);
      case ABORTED:
        return new AbortedError(message, options);
      case MISMATCHED:
        return new MismatchError(message, options);
      case CLOSED:
        return new WorldClosedError(message, options);
      default:
        return new RankLostError(this.#i32[this.#word + FATE_RANK], message, options);
    }
  }
}

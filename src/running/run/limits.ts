/** The limits of a run: its signal, its timeout, its close(); from the call of launch() on, trees included. */

import type { Verdict } from "../../ground/base/account.ts";
import {
  AbortedError,
  sentenceOf,
  TimeoutError,
  type TundishError,
  WorldClosedError,
} from "../../ground/base/errors.ts";
import { clearTimeout, setTimeout } from "../../ground/base/event-loop/timers.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { onAbort } from "../../ground/wait/abort.ts";
import { ABORTED, CLOSED, TIMED_OUT } from "../../ground/wait/layout.ts";
import type { Ending } from "../../ground/wait/termination.ts";

/** The limits that the caller set. */
export interface Bounds {
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The longest delay that setTimeout accepts. */
const LONGEST_MS = 2 ** 31 - 1;

/** How the world of a run ends that a limit has ended. @param unfinished who has not finished, for a timeout */
export function endingBy(reason: TundishError, unfinished: () => string): [Ending, Verdict] {
  const [message, cause] = [sentenceOf(reason), reason.cause];
  if (reason instanceof TimeoutError)
    return [TIMED_OUT, { rank: -1, message: `${message}; not finished: ${unfinished()}` }];
  return [reason instanceof AbortedError ? ABORTED : CLOSED, { rank: -1, message, cause }];
}

/** Enforces the limits until {@link end}. */
export class RunLimits {
  readonly #stop = new AbortController();
  /** The end of listening to the signals. */
  readonly #watched: (() => void)[] = [];
  readonly #timer: NodeJS.Timeout | undefined;

  /** @param closing any of these closes the run; AbortSignal.any would stay with one that outlives many runs */
  constructor({ timeout, signal }: Bounds, ...closing: readonly AbortSignal[]) {
    this.#watch(signal, (cause) => new AbortedError(`The run was aborted: ${shortText(cause)}`, { cause }));
    for (const one of closing) this.#watch(one, () => new WorldClosedError("The run was closed before it finished"));
    if (timeout === undefined || timeout > LONGEST_MS) return;
    this.#timer = setTimeout(() => {
      this.#stop.abort(new TimeoutError(`The run took longer than ${timeout} ms (timeout)`));
    }, timeout);
  }

  /** Aborted when the run must end. Its reason is the error of the run: that of the first limit reached. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
    for (const unwatch of this.#watched) unwatch();
  }

  #watch(signal: AbortSignal | undefined, error: (reason: unknown) => TundishError): void {
    const stop = () => this.#stop.abort(error(signal?.reason));
    if (signal?.aborted) stop();
    else this.#watched.push(onAbort(signal, stop));
  }
}

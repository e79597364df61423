/**
 * What ends a run from outside: its signal, its time, its close(). From the call of launch() on, also while its
 * trees are still being measured.
 */

import { AbortedError, TimeoutError, type TundishError, WorldClosedError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";

/** What the caller has set. */
export interface Bounds {
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Timers take no more. */
const LONGEST_MS = 2 ** 31 - 1;

/** Watches until {@link end}. */
export class RunLimits {
  readonly #stop = new AbortController();
  readonly #watched = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;

  constructor({ timeout, signal }: Bounds, closing: AbortSignal) {
    this.#watch(signal, (cause) => new AbortedError(`The run was aborted: ${shortText(cause)}`, { cause }));
    this.#watch(closing, () => new WorldClosedError("The run was closed before it had finished"));
    if (timeout === undefined || timeout > LONGEST_MS) return;
    this.#timer = setTimeout(() => {
      this.#stop.abort(new TimeoutError(`The run took longer than ${timeout} ms (timeout)`));
    }, timeout);
  }

  /** Aborted when the run is to end; its reason is the error that it ends with: the first to come. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#watched.abort();
  }

  #watch(signal: AbortSignal | undefined, error: (reason: unknown) => TundishError): void {
    const stop = () => this.#stop.abort(error(signal?.reason));
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true, signal: this.#watched.signal });
  }
}

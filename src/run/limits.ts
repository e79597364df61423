/**
 * The limits of a run: its signal, its timeout, its close(). They apply from the call of launch(), also while its trees
 * are measured.
 */

import { AbortedError, TimeoutError, type TundishError, WorldClosedError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";

/** The limits that the caller set. */
export interface Bounds {
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The longest delay that setTimeout accepts. */
const LONGEST_MS = 2 ** 31 - 1;

/** Enforces the limits until {@link end}. */
export class RunLimits {
  readonly #stop = new AbortController();
  readonly #watched = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;

  /** @param closing any of these closes the run; not AbortSignal.any, which would stay with one that outlives many runs */
  constructor({ timeout, signal }: Bounds, ...closing: readonly AbortSignal[]) {
    this.#watch(signal, (cause) => new AbortedError(`The run was aborted: ${shortText(cause)}`, { cause }));
    for (const one of closing)
      this.#watch(one, () => new WorldClosedError("The run was closed before it finished"));
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
    this.#watched.abort();
  }

  #watch(signal: AbortSignal | undefined, error: (reason: unknown) => TundishError): void {
    const stop = () => this.#stop.abort(error(signal?.reason));
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true, signal: this.#watched.signal });
  }
}

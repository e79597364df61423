/** What a thread does that waits for others and has nothing to do: it spins, now and then lets others run, and gives up in the end. */
import { TimeoutError } from "../../src/base/errors.ts";
import { futex } from "../../src/wait/futex.ts";

/** Nobody waits longer than this, ms: whoever he waits for is gone. */
const PATIENCE_MS = 30_000;
/** Turns without success between two looks at the clock, which also let others run. */
const IDLE_MASK = 1023;

/** The waiting of one thread. */
export class Idle {
  readonly #what: string;
  readonly #mask: number;
  #turns = 0;
  #since = 0;

  /**
   * @param what has not happened when it takes too long, for the message
   * @param oversubscribed whether there are more threads that spin than CPUs: each lets others run whenever it has nothing to do
   */
  constructor(what: string, oversubscribed: boolean) {
    this.#what = what;
    this.#mask = oversubscribed ? 0 : IDLE_MASK;
  }

  /** Something has happened. */
  reset(): void {
    this.#turns = 0;
  }

  /** One turn. @throws TimeoutError when nothing has happened for half a minute */
  wait(): void {
    if ((this.#turns++ & this.#mask) !== this.#mask) return;
    futex()?.yield();
    const now = performance.now();
    if (this.#turns <= this.#mask + 1) this.#since = now;
    else if (now - this.#since > PATIENCE_MS)
      throw new TimeoutError(`${this.#what} for ${PATIENCE_MS / 1000} s.`);
  }
}

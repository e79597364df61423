/** The waiting of a measuring thread without work: it spins, sometimes yields, and finally gives up. */

import { TimeoutError } from "../../src/ground/base/errors.ts";
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";
import { futex } from "../../src/ground/wait/futex.ts";

/** Longest wait, ms: after that the awaited process counts as lost. */
const PATIENCE_MS = 30_000;
/** Turns without success between two reads of the clock, which also yield, as a mask. */
const IDLE_MASK = 1023;

/** The waiting of one thread. */
export class Idle {
  readonly #what: string;
  readonly #mask: number;
  #turns = 0;
  #since = 0;

  /**
   * @param what the awaited event, for the message of a TimeoutError
   * @param oversubscribed whether there are more spinning threads than CPUs: each then yields whenever it has no work
   */
  constructor(what: string, oversubscribed: boolean) {
    this.#what = what;
    this.#mask = oversubscribed ? 0 : IDLE_MASK;
  }

  /** An event has happened. */
  reset(): void {
    this.#turns = 0;
  }

  /** Waits for one turn. @throws TimeoutError if nothing has happened for half a minute */
  wait(): void {
    if ((this.#turns++ & this.#mask) !== this.#mask) return;
    futex()?.yield();
    const now = monotonic();
    if (this.#turns <= this.#mask + 1) this.#since = now;
    else if (now - this.#since > PATIENCE_MS) throw new TimeoutError(`${this.#what} for ${PATIENCE_MS / 1000} s.`);
  }
}

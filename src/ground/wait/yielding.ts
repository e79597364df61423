/**
 * Yields of the core, and whether they pay. Between PEs of one world a yield takes a microsecond: whoever gets the core
 * looks at its condition and yields as well. Whoever computes keeps the core for a time slice, so beside other
 * programs, or PEs that compute, a yield takes milliseconds, times the threads that compete; a PE that sleeps is run as
 * soon as it is woken. With 200 yields before each sleep a phase of an exchange took 0.3 to 0.7 s instead of 10 to
 * 20 ms (5 PEs on 2 CPUs at a load of 35, Linux 6.18).
 */

import { monotonic } from "../base/event-loop/timers.ts";
import { DOUBLE_ZERO } from "../base/for-v8.ts";

/** A yield of this length was a slow one, ms: sleeping and being woken takes a tenth of it. */
const SLOW_MS = 0.5;
/**
 * After a slow yield there is none for its length, after the next ones for two, four … times theirs, up to this: where
 * most yields are slow they take 2 % of the time, and where few are, beside a program that seldom runs, hardly any
 * yield is left out.
 */
const MOST_ABSTINENCE = 64;
/** One in so many yields is timed, as two looks at the clock take a seventh of it. After a slow one more are. */
const TIMED = 8;

/** Those of one thread. */
export class Yielding {
  /** Whether the next wait should yield before it sleeps: the last timed yield was not slow, or is long ago. */
  pays = true;
  readonly #yield: () => void;
  readonly #now: () => number;
  /** One in so many is timed, and how many are left until then. */
  #each = 1;
  #left = 0;
  /** That after the next slow yield, in its lengths. */
  #abstinence = 1;
  /** While it does not pay: until when. */
  #until: number = DOUBLE_ZERO;

  /** @param now a clock, ms */
  constructor(yieldCore: () => void, now: () => number = monotonic) {
    this.#yield = yieldCore;
    this.#now = now;
  }

  /** Yields the core. */
  yield(): void {
    if (this.#left > 0) {
      this.#left--;
      this.#yield();
      return;
    }
    const before = this.#now();
    this.#yield();
    const after = this.#now();
    this.pays = after - before < SLOW_MS;
    if (!this.pays) {
      this.#until = after + this.#abstinence * (after - before);
      this.#abstinence = Math.min(MOST_ABSTINENCE, 2 * this.#abstinence);
      this.#each = 1;
    } else if (this.#each < TIMED) {
      this.#each *= 2;
    } else {
      this.#abstinence = Math.max(1, this.#abstinence / 2);
    }
    this.#left = this.#each - 1;
  }

  /** Looks whether {@link pays} has become true again. @param now by the clock */
  look(now: number): void {
    if (!this.pays && now >= this.#until) this.pays = true;
  }
}

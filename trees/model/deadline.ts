/**
 * When a search has to end: a budget of time, and shares of it.
 *
 * Whatever takes long asks it between two steps and leaves the rest undone. Without a budget it is never over,
 * and the work is counted instead (effort.ts), so that the same seed gives the same trees.
 */

/** The time in ms, from any moment on. */
export type Clock = () => number;

/** A point in time that may never come. */
export class Deadline {
  readonly #clock: Clock;
  readonly #end: number;

  /** Over when `budget` ms have passed from now on; never when there is none. */
  constructor(budget?: number, clock: Clock = () => performance.now()) {
    this.#clock = clock;
    this.#end = budget === undefined ? Number.POSITIVE_INFINITY : clock() + budget;
  }

  /** Whether there is a budget at all. */
  get isSet(): boolean {
    return this.#end < Number.POSITIVE_INFINITY;
  }

  /** Time that is left in ms, 0 when it is over. */
  left(): number {
    return this.isSet ? Math.max(0, this.#end - this.#clock()) : Number.POSITIVE_INFINITY;
  }

  isOver(): boolean {
    return this.isSet && this.left() === 0;
  }

  /** The point in time when so much of what is left has passed. */
  share(part: number): Deadline {
    return this.isSet ? new Deadline(this.left() * part, this.#clock) : this;
  }
}

/** Never over. */
export const NEVER_OVER: Deadline = new Deadline();

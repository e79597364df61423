/**
 * When a search must end: a time budget, and shares of it.
 *
 * Long computations poll it between two steps and leave the rest undone. Without a budget it is never over; work is
 * counted instead (search-budget.ts), so that equal seeds give equal trees.
 */
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";

/** The time in ms, from any origin. */
export type Clock = () => number;

/** A point in time that may never be reached. */
export class Deadline {
  readonly #clock: Clock;
  readonly #end: number;

  /** Over when `budget` ms have passed from now on; never if there is no budget. */
  constructor(budget?: number, clock: Clock = monotonic) {
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

  /** The point in time when a part of the remaining time has passed. */
  share(part: number): Deadline {
    return this.isSet ? new Deadline(this.left() * part, this.#clock) : this;
  }
}

/** Never over. */
export const NEVER_OVER: Deadline = new Deadline();

/**
 * Operations: collectives that can be suspended wherever they wait. One implementation serves the blocking form (spin
 * on the condition), the Async form (poll again after a wake-up) and any other driver.
 */
import type { Condition } from "../../ground/wait/condition.ts";

/** A collective in progress. */
export interface Operation<T> {
  /** Makes as much progress as possible; returns the condition that it waits for, or null when it is complete. */
  advance(): Condition | null;
  /** The result, when complete. */
  readonly result: T;
}

/** An algorithm that yields the conditions that it waits for. */
export type Routine<T> = Generator<Condition, T, void>;

/** An operation that runs a routine. */
export class RoutineOperation<T> implements Operation<T> {
  readonly #routine: Routine<T>;
  #result: T | undefined;

  constructor(routine: Routine<T>) {
    this.#routine = routine;
  }

  advance(): Condition | null {
    const { done, value } = this.#routine.next();
    if (!done) return value;
    this.#result = value;
    return null;
  }

  get result(): T {
    return this.#result as T;
  }
}

/** Runs one operation, then the one that `next` begins; returns the result of the second. */
export function* throughBoth<T>(first: Operation<unknown>, next: () => Operation<T>): Routine<T> {
  for (let wait = first.advance(); wait !== null; wait = first.advance()) yield wait;
  const second = next();
  for (let wait = second.advance(); wait !== null; wait = second.advance()) yield wait;
  return second.result;
}

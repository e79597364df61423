/**
 * Operations: collectives that can be interrupted wherever they wait. One implementation serves the
 * blocking form (spin on the condition), the Async form (ask again after a wake-up) and any other driver.
 */
import type { Condition } from "../../wait/condition.ts";

/** A collective under way. */
export interface Operation<T> {
  /** Goes as far as it can; what it waits for then, or null when it is complete. */
  advance(): Condition | null;
  /** The result, once complete. */
  readonly result: T;
}

/** An algorithm that yields what it waits for. */
export type Routine<T> = Generator<Condition, T, void>;

/** Makes an operation of a routine. */
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

/** One operation, then the one that `next` begins; the result is the second's. */
export function* throughBoth<T>(first: Operation<unknown>, next: () => Operation<T>): Routine<T> {
  for (let wait = first.advance(); wait !== null; wait = first.advance()) yield wait;
  const second = next();
  for (let wait = second.advance(); wait !== null; wait = second.advance()) yield wait;
  return second.result;
}

/**
 * A task: what takes a while, as a generator of the conditions that it waits for. A call and its Async form are one
 * task with two drivers, and tasks are put together by `yield*`:
 *
 *     *#sending(data): Task<void> { … yield this.#room; … }
 *     send(data)      { blockOn(this.#seat, this.#sending(data)); }
 *     sendAsync(data) { return awaitOn(this.#seat, this.#sending(data)); }
 *
 * Virtual PEs have an {@link AsyncWaits} of their own, so a task runs in virtual time as it does on threads.
 *
 * Limits: a generator allocates for each step. Calls that are as short as that have loops of their own (collectives of
 * numbers, messages that have room), and so do state machines, which are made once ({@link ReusableTask}).
 */
import type { AsyncWaits } from "./async.ts";
import type { Condition } from "./condition.ts";
import type { WaitOptions } from "./options.ts";
import { block, type TeamWaiter, watched } from "./waiter.ts";
import type { Watcher } from "./watcher.ts";

/** A generator of conditions, or a {@link ReusableTask}. What ends a wait early is thrown into it. */
export interface Task<T> {
  /** Makes as much progress as possible: to the next condition that it waits for, or to its result. */
  next(): IteratorResult<Condition, T>;
  throw(error: unknown): IteratorResult<Condition, T>;
  [Symbol.iterator](): Task<T>;
}

/** A task that is made once and begun again and again, so that it allocates next to nothing. */
export abstract class ReusableTask<T> implements Task<T> {
  /** What it has come to, when it is complete. */
  abstract readonly result: T;

  /** Makes as much progress as possible; returns the condition that it waits for, or null when it is complete. */
  abstract advance(): Condition | null;

  next(): IteratorResult<Condition, T> {
    const value = this.advance();
    if (value !== null) return { done: false, value };
    const { result } = this;
    this.forget();
    return { done: true, value: result };
  }

  /** Forgets the arrays that it was about: they may be large, and the next time far away. */
  protected forget(): void {}

  throw(error: unknown): IteratorResult<Condition, T> {
    throw error;
  }

  [Symbol.iterator](): this {
    return this;
  }
}

/** Who waits: how a PE blocks, and how it waits without that. */
export interface Waiters {
  readonly waiter: TeamWaiter;
  readonly waits: AsyncWaits;
  /** What waits say of themselves whose conditions have no watcher. */
  readonly watcher: Watcher;
  /** Whether the world's limit of each wait holds beside that of a call. @default it holds where the call has none */
  readonly holdsBoth?: boolean;
}

/** Who waits without blocking. */
type AsyncWaiting = Omit<Waiters, "waiter"> & { readonly waiter: Pick<TeamWaiter, "timeout"> };

/**
 * Takes a task to its end in the thread.
 * @param limit of all its waits together, ms. @default that of the world, for each
 * @throws what ends a wait early (see waiter.ts), and what the task throws
 */
export function blockOn<T>({ waiter, watcher }: Waiters, task: Task<T>, limit?: number): T {
  return watched(waiter, watcher, () => blockOnAll(waiter, watcher, task), limit);
}

function blockOnAll<T>(waiter: TeamWaiter, watcher: Watcher, task: Task<T>): T {
  for (let step = task.next(); ; ) {
    if (step.done) return step.value;
    const condition = step.value;
    // a step may have waited for something else
    waiter.watcher = condition.watcher ?? watcher;
    try {
      block(waiter, condition);
    } catch (error) {
      step = task.throw(error);
      continue;
    }
    step = task.next();
  }
}

/** One in so many waits that are over at once lets the event loop turn, for timers and files. */
const TURN_MASK = 127;

/** Takes it there without blocking. @throws as {@link blockOn}, and AbortedError */
export async function awaitOn<T>(
  { waiter, waits, watcher: common, holdsBoth = false }: AsyncWaiting,
  task: Task<T>,
  { timeout, signal }: WaitOptions = {},
): Promise<T> {
  const end = timeout === undefined ? Number.POSITIVE_INFINITY : waits.now() + timeout;
  const until = (condition: Condition): Promise<void> => {
    const { ended, watcher = common } = condition;
    if (ended !== undefined && signal === undefined && end === Number.POSITIVE_INFINITY) return ended;
    const each = ended === undefined && (holdsBoth || timeout === undefined);
    const deadline = each ? Math.min(end, waits.now() + waiter.timeout) : end;
    return waits.until(condition, { deadline, signal, watcher });
  };
  try {
    for (let step = task.next(), atOnce = 0; ; ) {
      if (step.done) return step.value;
      try {
        if (!step.value.ready()) await until(step.value);
        else if ((++atOnce & TURN_MASK) === 0) await waits.turn();
      } catch (error) {
        step = task.throw(error);
        continue;
      }
      step = task.next();
    }
  } catch (error) {
    if (waits.afterEnd !== undefined) await waits.afterEnd();
    throw error;
  }
}

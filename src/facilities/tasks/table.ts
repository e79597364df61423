/** The handlers of tasks: functions of numbers. */
import { UsageError } from "../../ground/base/errors.ts";
import { isRecord } from "../../ground/base/names.ts";
import { type AtOnce, isAsync, isGenerator, isPromise, promiseError } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { MOST_ARGUMENTS } from "./layout.ts";

/** Handlers by name: each takes at most 7 numbers. */
export type TaskHandlers = Readonly<Record<string, (...args: number[]) => AtOnce>>;

/** A function for each handler that makes a task of it. */
export type Spawn<H extends TaskHandlers> = { readonly [K in keyof H]: (...args: Parameters<H[K]>) => void };

/** Any handler, as it is called: with what it does not take, too. */
export type Handler = (...args: number[]) => unknown;

/** One of a table. */
export interface TaskEntry {
  readonly name: string;
  readonly count: number;
  readonly run: Handler;
}

/** @throws UsageError for what is no table of handlers */
export function entriesOf(table: unknown): readonly TaskEntry[] {
  if (!isRecord(table) || Object.keys(table).length === 0) {
    throw new UsageError(`tasks: expected handlers, as in { visit(from, to) { … } }, got ${shortText(table)}`);
  }
  return Object.entries(table).map(([name, run]) => {
    if (typeof run !== "function" || isAsync(run) || isGenerator(run)) {
      throw new UsageError(`tasks: ${name}: expected a function that does not await, got ${shortText(run)}`);
    }
    if (run.length > MOST_ARGUMENTS) {
      throw new UsageError(
        `tasks: ${name}: expected at most ${MOST_ARGUMENTS} numbers, got ${run.length}. Put the others into an array of allocShared, and pass where they are.`,
      );
    }
    return { name, count: run.length, run: run as Handler };
  });
}

/** @throws UsageError unless a task is made of as many numbers as its handler takes */
export function checkArguments({ name, count }: TaskEntry, args: readonly unknown[], given: number): void {
  if (given !== count) throw new UsageError(`spawn.${name}: expected ${count} numbers, got ${given} arguments`);
  for (let i = 0; i < count; i++) {
    if (typeof args[i] !== "number") {
      throw new UsageError(`spawn.${name}: expected numbers, got ${shortText(args[i])} as argument ${i}`);
    }
  }
}

/** @throws UsageError where a handler has returned a promise */
export function refusePromise({ name }: TaskEntry, returned: unknown): void {
  if (returned !== undefined && isPromise(returned)) {
    throw promiseError(`tasks: the handler ${name}`, "make it a function that computes, and await outside of the run.");
  }
}

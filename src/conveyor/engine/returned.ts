/**
 * What the functions of a program return to a session: to have an item put back, or what must not be, a promise. Nobody in
 * here waits for one, so what it would have done comes too late, and its errors are lost.
 */
import { UsageError } from "../../base/errors.ts";

/** What the sink of a conveyor returns to have its item put back: the item comes again. The same in every copy of the package. */
export const PUT_BACK: unique symbol = Symbol.for("tundish.PUT_BACK");

/** What to write for a function that awaits, by what runs it. */
export const INSTEAD = {
  conveyor: "for a program that awaits there is batches().",
  elastic: "a program that awaits has a loop of push, pull and advance, and awaits between two advances.",
  biconveyor: "for a program that awaits there are ask() and askAll() inside runAsync().",
  answer:
    "an answer makes its reply at once, of what is there; what takes time is for a selector, or a second conveyor.",
  selector:
    "a handler returns, and sends later what it has no answer to yet; a source that awaits has runAsync().",
} as const;

/** Whether `await` would wait for it. */
export function isPromise(value: unknown): boolean {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  return typeof (value as { readonly then?: unknown }).then === "function";
}

const AsyncFunction = (async () => {}).constructor as new () => unknown;

/** Whether it is declared with `async`: then it returns a promise, whatever it does. */
export const isAsync = (call: unknown): boolean => call instanceof AsyncFunction;

/** The error for a promise. @param who has returned it: "run: the sink" */
export const promiseError = (who: string, instead: string): UsageError =>
  new UsageError(`${who} returned a promise, and nobody waits for it: ${instead}`);

/** @throws UsageError for a promise */
export function refusePromise(returned: unknown, who: string, instead: string): void {
  if (isPromise(returned)) throw promiseError(who, instead);
}

/** As {@link refusePromise}, where nothing can be put back. @throws UsageError also for {@link PUT_BACK} */
export function refuseReturned(returned: unknown, who: string, instead: string): void {
  if (returned === PUT_BACK) {
    throw new UsageError(
      `${who} returned PUT_BACK, and only the sink of a conveyor can put an item back: keep it in memory of your own.`,
    );
  }
  refusePromise(returned, who, instead);
}

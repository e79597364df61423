/**
 * Checks what the user's functions return to a session: PUT_BACK is allowed in some, a promise in none. A promise would
 * not be awaited, so its effects would come too late and its errors would be lost.
 */
import { UsageError } from "../../../ground/base/errors.ts";
import { isPromise, promiseError } from "../../../ground/base/promise.ts";

/**
 * Returned by the sink of a conveyor to put its item back; the item is delivered again. The same symbol in every copy
 * of the package.
 */
export const PUT_BACK: unique symbol = Symbol.for("tundish.PUT_BACK");

/** Advice for a function that awaits, by the call that runs it. */
export const INSTEAD = {
  conveyor: "an asynchronous program uses batches().",
  elastic: "an asynchronous program loops over push, pull and advance, and awaits between two advances.",
  biconveyor: "an asynchronous program uses ask() and askAll() inside runAsync().",
  answer: "an answer must return its reply at once; for replies that take time use a selector, or a second conveyor.",
  calls: "a handler must return at once and call later what is not ready yet; an asynchronous source uses runAsync().",
  selector:
    "a handler must return at once and send later what is not ready yet; an asynchronous source uses runAsync().",
} as const;

/** @throws UsageError for a promise */
export function refusePromise(returned: unknown, who: string, instead: string): void {
  if (isPromise(returned)) throw promiseError(who, instead);
}

/**
 * As {@link refusePromise}, for functions that cannot put an item back. @throws UsageError also for {@link PUT_BACK}
 */
export function refuseReturned(returned: unknown, who: string, instead: string): void {
  if (returned === PUT_BACK) {
    throw new UsageError(
      `${who} returned PUT_BACK, but only the sink of a conveyor can put an item back. Keep the item in memory of your own.`,
    );
  }
  refusePromise(returned, who, instead);
}

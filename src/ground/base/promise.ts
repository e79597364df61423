/** Promises where none is awaited: functions of the user that are called in the middle of something. */
import { UsageError } from "./errors.ts";

/** The result of a function that is not awaited: anything but a promise. No result fits, an async one does not. */
export type AtOnce =
  // biome-ignore lint/suspicious/noConfusingVoidType: of functions that return nothing
  void | null | undefined | boolean | number | bigint | string | symbol | (object & { readonly then?: never });

/** Whether `await` would wait for it. */
export function isPromise(value: unknown): boolean {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  return typeof (value as { readonly then?: unknown }).then === "function";
}

const AsyncFunction = (async () => {}).constructor as new () => unknown;

/** Whether it is declared with `async`, so that it always returns a promise. */
export const isAsync = (call: unknown): boolean => call instanceof AsyncFunction;

const Generator = function* () {}.constructor as new () => unknown;
const AsyncGenerator = async function* () {}.constructor as new () => unknown;

/** Whether it is declared with `*`, so that a call only makes an iterator. */
export const isGenerator = (call: unknown): boolean => call instanceof Generator || call instanceof AsyncGenerator;

/** The error for a promise. @param who the function that returned it: "run: the sink" */
export const promiseError = (who: string, instead: string): UsageError =>
  new UsageError(`${who} returned a promise, which is not awaited: ${instead}`);

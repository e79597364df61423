/** Values that cannot be cloned, for a thread or by v8.serialize. */
import { UsageError } from "./errors.ts";
import { shortText, withoutStop } from "./short-text.ts";

/** Whether `v8.serialize` has thrown its own word on a value, not what code of the value has: a getter, a Proxy. */
export const isCloneRefusal = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (thrown.constructor === Error || thrown.name === "DataCloneError") &&
  /could not be cloned\.$|^Data cannot be cloned/.test(thrown.message);

/** It quotes the source of a function. */
const inOneLine = (cause: unknown): string => withoutStop(shortText(cause)).replace(/\s*\n\s*/g, " ");

/**
 * The error for what postMessage has thrown; anything else than its refusal as it is.
 * @param what it was to clone: `args: expected a value`
 * @param advice a sentence
 */
export const cloneRefusal = (cause: unknown, what: string, advice: string): unknown =>
  (cause as Error | null)?.name === "DataCloneError"
    ? new UsageError(`${what} that can be cloned, got one that cannot: ${inOneLine(cause)}. ${advice}`, {
        cause,
      })
    : cause;

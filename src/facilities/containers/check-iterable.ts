/** Arguments of the calls that look up several keys, indices or elements. */
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";

/** @param call with its container @param what they are: `keys` @throws UsageError for what is no list of them */
export function checkIterable(call: string, what: string, x: unknown): void {
  if (typeof (x as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] === "function") return;
  throw new UsageError(`${call}: expected ${what} (an array, a Set, …), got ${shortText(x)}`);
}

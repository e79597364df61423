/** What a program posts to the thread that launched it. */
import { UsageError } from "../base/errors.ts";
import { shortText, withoutStop } from "../base/short-text.ts";

/** Passes the value on. @throws UsageError if `post`, which clones it, cannot */
export function postCloned(post: (value: unknown) => void, value: unknown): void {
  try {
    post(value);
  } catch (cause) {
    if ((cause as Error | null)?.name !== "DataCloneError") throw cause;
    throw new UsageError(
      `post: expected a value that can be cloned, got one that cannot: ${withoutStop(shortText(cause))}. Post data, without functions.`,
      { cause },
    );
  }
}

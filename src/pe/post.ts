/** Messages of a program to the thread that launched it. */
import { cloneRefusal } from "../ground/base/clone-refusal.ts";

/** Passes the value on. @throws UsageError if `post`, which clones it, cannot */
export function postCloned(post: (value: unknown) => void, value: unknown): void {
  try {
    post(value);
  } catch (cause) {
    throw cloneRefusal(cause, "post: expected a value", "Post data, without functions.");
  }
}

/** Options by their names: one that is misspelt would have no effect, and nobody would know. */

import { UsageError } from "./errors.ts";
import { shortText } from "./short-text.ts";

/** Passes for an object that has no other than these names. @throws UsageError that names them all */
export function checkNames(options: unknown, known: readonly string[], what = "options"): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new UsageError(
      `${what}: expected an object, got ${Array.isArray(options) ? "an array" : shortText(options)}`,
    );
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`${what}: there is no ${unknown}; expected some of ${known.join(", ")}`);
  }
}

/** Checks the computation that a program declares. */
import { UsageError } from "../ground/base/errors.ts";
import { shortText } from "../ground/base/short-text.ts";

/** Passes for a time in ns. @throws UsageError for anything else */
export function checkWork(ns: number): void {
  if (typeof ns === "number" && ns >= 0 && ns < Number.POSITIVE_INFINITY) return;
  throw new UsageError(`work: expected a number of ns >= 0, got ${shortText(ns)}`);
}

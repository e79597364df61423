/** A PE's exception, for the error that ends a world. */

import { shortText } from "../short-text.ts";
import { callerIn } from "./call-site.ts";

/** `PE 1 threw TypeError: no rows (load.ts:12)`, with the innermost line of the program in the stack, if it has one. */
export function threwText(rank: number, error: unknown): string {
  const line = lineOf(error);
  return `PE ${rank} threw ${shortText(error)}${line === "" ? "" : ` (${line})`}`;
}

function lineOf(error: unknown): string {
  try {
    const { stack } = error as { readonly stack?: unknown };
    return typeof stack === "string" ? (callerIn(stack)?.line ?? "") : "";
  } catch {
    // a getter of the program's throws, or nothing was thrown
    return "";
  }
}

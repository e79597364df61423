/** A value that a program handed over, in one line for a message. */
import { inspect } from "node:util";

const MOST = 200;

/** Such as `"text"`, `42`, `{ a: 1, b: [Array] }`. Runs no code of the value's, and never throws. */
export function shortText(value: unknown): string {
  const text =
    typeof value === "string"
      ? JSON.stringify(value)
      : inspect(value, { customInspect: false, depth: 1, maxArrayLength: 8, breakLength: Infinity });
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}

/** A path in a message: as it is, or as a short text where it is none, but perhaps the content of a file. */
export const shortPath = (path: string): string =>
  path.length <= MOST && !/\p{Cc}/u.test(path) ? path : shortText(path);

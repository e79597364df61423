/** Whatever a program hands over or throws, in a few words of a message. */
import { type InspectOptions, inspect } from "node:util";
import { sentenceOf } from "./errors.ts";

/** Characters of what is neither an error nor a text. */
const MOST = 200;
const SHORT: InspectOptions = {
  depth: 1,
  maxArrayLength: 8,
  maxStringLength: 100,
  breakLength: Number.POSITIVE_INFINITY,
};

/** Anything in one line: `TypeError: x is not a function`, `"text"`, `42`, `{ a: 1 }`. */
export function inWords(thing: unknown): string {
  try {
    if (thing instanceof Error) return `${thing.name}: ${sentenceOf(thing)}`;
    if (typeof thing === "string") return JSON.stringify(thing);
    const isObject = typeof thing === "object" && thing !== null;
    const words = isObject ? inspect(thing, SHORT).replace(/\s*\n\s*/g, " ") : String(thing);
    return words.length > MOST ? `${words.slice(0, MOST)}…` : words;
  } catch {
    return "a value that cannot be printed";
  }
}

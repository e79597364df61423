/**
 * Any value in a short text for a message: what a program handed over or threw.
 *
 * It never throws. It runs no code of the program (toString, getters, proxies), except getters of an error's name and
 * message and of Symbol.toStringTag.
 *
 * Example: `TypeError: x is not a function`, `"text"`, `42`, `{ a: 1, b: [Array] }`, `[Function: main]`.
 */
import { type InspectOptions, inspect, types } from "node:util";
import { sentenceOf } from "./errors.ts";

/** Characters of a value. */
const MOST = 200;
/** Characters of an error's message, which may quote the values of others. */
const MOST_OF_ERROR = 2000;
const SHORT: InspectOptions = {
  customInspect: false,
  depth: 1,
  maxArrayLength: 8,
  maxStringLength: 100,
  breakLength: Number.POSITIVE_INFINITY,
};

/** A value in one line of some 200 characters at most; an error may have 2000. */
export function shortText(value: unknown): string {
  try {
    if (typeof value === "string") return JSON.stringify(cut(value, MOST));
    if (isError(value)) return cut(`${value.name}: ${sentenceOf(value)}`, MOST_OF_ERROR);
    return cut(inspect(value, SHORT).replace(/\s*\n\s*/g, " "), MOST);
  } catch {
    return "a value that cannot be printed";
  }
}

/** A text that is to be followed by a full stop. */
export const withoutStop = (text: string): string => text.replace(/\.$/, "");

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** Also one of another realm; a proxy of one is none, as it would be asked. */
function isError(value: unknown): value is Error {
  return types.isNativeError(value) || (!types.isProxy(value) && value instanceof Error);
}

/** A path in a message: as it is, or as a short text where it is none, but perhaps the content of a file. */
export const shortPath = (path: string): string =>
  path.length <= MOST && !/\p{Cc}/u.test(path) ? path : shortText(path);

/**
 * A text of others, such as the name of a model, with each control character escaped, for example as `\x1b`: it cannot
 * move the cursor of a terminal.
 */
export function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => {
    return `\\x${(character.codePointAt(0) as number).toString(16).padStart(2, "0")}`;
  });
}

/**
 * Keys that are JavaScript values, as text: equal values have equal text. Properties are in the order of their names,
 * and what JSON has not is a list that begins with a letter.
 *
 *     7 → 7    "a" → "a"    5n → ["b","5"]   [1, [2]] → ["a",1,["a",2]]   { y: 1, x: undefined } → ["o","x",["u"],"y",1]
 *
 * v8.serialize does not do it: it writes 1 and 1.0, and the same string, in several ways, as they lie in memory.
 */

import { UsageError } from "../../../ground/base/errors.ts";
import { define } from "../../../ground/base/objects/define.ts";
import { shortText } from "../../../ground/base/short-text.ts";

type Plain = null | boolean | number | string | readonly Plain[];

/** The text of a key. @param what for messages @throws UsageError for a value that cannot be a key */
export const structuralText = (what: string, key: unknown): string => JSON.stringify(plain(what, key, 0));

/** The key of a text. */
export const fromStructural = (text: string): unknown => restored(JSON.parse(text) as Plain);

/** Deepest nesting: a value that contains itself is deeper. */
const MOST_DEPTH = 64;

function plain(what: string, x: unknown, depth: number): Plain {
  if (depth > MOST_DEPTH) {
    throw new UsageError(
      `${what}: expected a key that is nested at most ${MOST_DEPTH} deep, and does not contain itself`,
    );
  }
  switch (typeof x) {
    case "undefined":
      return ["u"];
    case "boolean":
    case "string":
      return x;
    case "number":
      // JSON writes -0 as 0
      return Number.isFinite(x) ? x : ["n", String(x)];
    case "bigint":
      return ["b", String(x)];
    default:
  }
  if (x === null) return null;
  if (Array.isArray(x) && isDense(x)) return ["a", ...x.map((part) => plain(what, part, depth + 1))];
  if (typeof x === "object" && isPlain(x)) {
    const names = Object.keys(x).sort();
    return ["o", ...names.flatMap((name) => [name, plain(what, (x as never)[name], depth + 1)])];
  }
  throw new UsageError(
    `${what}: expected undefined, null, a boolean, number, bigint or string, or an array (without holes and other properties) or ` +
      `plain object (without symbols) of these, got ${shortText(x)}. ` +
      "Make a string of it, for example.",
  );
}

/** Whether an array has all its elements, and nothing else. */
function isDense(x: readonly unknown[]): boolean {
  const { length } = x;
  // a few elements of a long array are not looked for
  if (length > 0 && !(length - 1 in x)) return false;
  const names = Object.keys(x);
  // numbers come first, in order
  return names.length === length && (length === 0 || names[length - 1] === String(length - 1));
}

function isPlain(x: object): boolean {
  if (Array.isArray(x) || Object.getOwnPropertySymbols(x).length > 0) return false;
  const prototype: unknown = Object.getPrototypeOf(x);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function restored(x: Plain): unknown {
  if (!Array.isArray(x)) return x;
  const [kind, ...rest] = x as readonly Plain[];
  switch (kind) {
    case "u":
      return undefined;
    case "n":
      return Number(rest[0]);
    case "b":
      return BigInt(rest[0] as string);
    case "a":
      return rest.map(restored);
    default: {
      const object: Record<string, unknown> = {};
      for (let i = 0; i < rest.length; i += 2) {
        // __proto__ is a name like others
        define(object, rest[i] as string, {
          value: restored(rest[i + 1] as Plain),
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
      return object;
    }
  }
}

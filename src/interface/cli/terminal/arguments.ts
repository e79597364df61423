/** Parsers for the values of options. Each throws an error that commander reports as wrong usage. */
import { InvalidArgumentError } from "commander";
import { MOST_DIMENSIONS, SIZES } from "../../../route/geometry/options.ts";

/** Digits with marks between them, and perhaps an exponent: `20`, `1_000_000`, `1e4`, `1.5e6`. */
const WHOLE = /^\d+(_\d+)*((\.\d+)?e\+?\d+)?$/i;

/** A number; `1_000_000` is 1000000. */
const numberOf = (text: string): number => Number(text.replaceAll(/(?<=\d)_(?=\d)/g, ""));

/** A whole number within limits: `20`, `1_000_000` or `1e6`. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = numberOf(text);
    if (WHOLE.test(text) && Number.isSafeInteger(value) && value >= least && value <= most) return value;
    const upTo = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
    throw new InvalidArgumentError(`Expected a whole number ${upTo}.`);
  };
}

function positive(unit: string, example: number): (text: string) => number {
  return (text) => {
    const value = numberOf(text);
    if (text.trim() !== "" && value > 0 && Number.isFinite(value)) return value;
    throw new InvalidArgumentError(`Expected a number of ${unit} above 0, such as ${example}.`);
  };
}

/** A time in milliseconds, above 0. */
export const milliseconds: (text: string) => number = positive("milliseconds", 500);
/** A time in nanoseconds, above 0. */
export const nanoseconds: (text: string) => number = positive("nanoseconds", 105);

/** A rate, above 0. */
export const itemsPerSecond: (text: string) => number = positive("items per second", 1_000_000);

/** A time in milliseconds; 0 means as little as possible. */
export function budget(text: string): number {
  const value = numberOf(text);
  if (text.trim() !== "" && value >= 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError("Expected a number of milliseconds from 0 on, such as 500.");
}

/** A number >= 0, for example of nanoseconds. */
export function amount(text: string): number {
  const value = numberOf(text);
  if (text.trim() !== "" && value >= 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError("Expected a number of 0 or more, such as 0.1.");
}

/** A fraction of a buffer from 0 to 1. @param isAbove whether 0 is none */
export const fractionOf =
  (isAbove: boolean): ((text: string) => number) =>
  (text) => {
    const value = numberOf(text);
    if (text.trim() !== "" && value <= 1 && (isAbove ? value > 0 : value >= 0)) return value;
    throw new InvalidArgumentError(
      `Expected a fraction of a buffer ${isAbove ? "above 0, at most 1" : "from 0 to 1"}, such as 0.5.`,
    );
  };

/** The sizes of a mesh: `3x5x7` is [3, 5, 7]. */
export function meshSizes(text: string): number[] {
  const sizes = text.split("x").map(Number);
  if (
    /^\d+(x\d+)*$/.test(text) &&
    sizes.length <= MOST_DIMENSIONS &&
    sizes.every((size) => Number.isSafeInteger(size) && size >= 1)
  ) {
    return sizes;
  }
  throw new InvalidArgumentError(`Expected ${SIZES} from 1 on, such as 3x5x7.`);
}

/** Any JSON value. */
export const jsonValue = (text: string): unknown => jsonLike(text, '{"items":100}');

/** As {@link jsonValue}. @param example for the message */
export function jsonLike(text: string, example: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`Expected JSON, such as '${example}': ${(error as Error).message}.`);
  }
}

const MOST_IN_LIST = 1 << 16;

/** Numbers and ranges in the order given: `5,0-2` is [5, 0, 1, 2]. */
export function numberList(text: string): number[] {
  const numbers = text.split(",").flatMap((part) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    const first = Number(from);
    const length = Number(to) - first + 1;
    if (length >= 1 && length <= MOST_IN_LIST) return Array.from({ length }, (_, i) => first + i);
    if (length < 1) throw new InvalidArgumentError(`Expected ascending ranges, got ${part.trim()}.`);
    if (length > MOST_IN_LIST) {
      throw new InvalidArgumentError(
        `Expected at most ${MOST_IN_LIST} numbers in a range, got ${part.trim()}, which is too large.`,
      );
    }
    throw new InvalidArgumentError("Expected numbers and ranges, such as 0,2,5-7.");
  });
  const twice = numbers.find((number, i) => numbers.indexOf(number) !== i);
  if (twice !== undefined) throw new InvalidArgumentError(`Expected each number once, got ${twice} twice.`);
  return numbers;
}

const units: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/** A number of bytes: `65536`, `1e6`, `512M`, `1.5GiB`; K, M and G are powers of 1024. */
export function byteCount(text: string): number {
  const [, number, unit = ""] = /^([\d_]+(?:\.\d+)?(?:e\+?\d+)?)([KMG]?)(?:i?B)?$/i.exec(text.trim()) ?? [];
  const bytes = Math.floor(numberOf(number ?? "") * (units[unit.toUpperCase()] as number));
  if (bytes >= 1 && bytes <= Number.MAX_SAFE_INTEGER) return bytes;
  throw new InvalidArgumentError("Expected a number of bytes, such as 65536, 512M or 2G.");
}

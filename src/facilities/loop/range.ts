/** What a loop runs over: a number of indices, a range of them, or the elements of an array. */
import { UsageError } from "../../ground/base/errors.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import { checkNames } from "../../ground/base/names.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { isTypedArray } from "../../ground/memory/kernels/elements.ts";
import { MOST } from "./chunks/layout.ts";

/** Indices from `begin` on, before `end`; downwards with a negative step. All whole numbers. */
export interface IndexRange {
  /** @default 0 */
  readonly begin?: number | undefined;
  readonly end: number;
  /** @default 1 */
  readonly step?: number | undefined;
}

/** What a loop runs over: n stands for the indices 0 to n - 1. */
export type Over<T = unknown> = number | IndexRange | ArrayLike<T>;

/** Iteration k is of index `begin + k * step`. */
export interface Iterations {
  readonly count: number;
  /** A hash of begin and step, in which PEs must agree, too. */
  readonly terms: number;
  readonly begin: number;
  readonly step: number;
  /** null for indices alone. */
  readonly items: ArrayLike<unknown> | null;
}

const NAMES: readonly string[] = ["begin", "end", "step"];

/** @throws UsageError */
export function iterationsOf(call: string, over: Over): Iterations {
  if (typeof over === "number") {
    if (Number.isInteger(over) && over >= 0 && over <= MOST)
      return { count: over, terms: 0, begin: 0, step: 1, items: null };
    throw new UsageError(`${call}: expected a whole number of iterations from 0 to 2^31, got ${over}`);
  }
  if (Array.isArray(over) || isTypedArray(over)) {
    return { count: over.length, terms: 0, begin: 0, step: 1, items: over as ArrayLike<unknown> };
  }
  if (typeof over !== "object" || over === null || ArrayBuffer.isView(over)) {
    throw new UsageError(
      `${call}: expected a number of iterations, { begin, end, step } or an array, got ${shortText(over)}`,
    );
  }
  checkNames(call, over, NAMES);
  const { begin = 0, end, step = 1 } = over as IndexRange;
  for (const [name, x] of Object.entries({ begin, end, step })) {
    if (Number.isSafeInteger(x)) continue;
    throw new UsageError(`${call}: ${name}: expected a whole number, got ${shortText(x)}`);
  }
  if (step === 0) throw new UsageError(`${call}: step: expected another number than 0`);
  const count = Math.max(0, Math.ceil((end - begin) / step));
  if (count <= MOST)
    return { count, terms: begin === 0 && step === 1 ? 0 : fnv1a([begin, step]), begin, step, items: null };
  throw new UsageError(
    `${call}: expected at most 2^31 iterations, got ${count}: give a larger step, or divide the range`,
  );
}

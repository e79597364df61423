/** The ops of reductions on two numbers that are in no array: they neither wrap around nor round to a narrower type. */
import { UsageError } from "../../base/errors.ts";
import { isLocOp, type LocOp, type ReduceOp } from "./elements.ts";

type Combine = (a: number, b: number) => number;

const NUMBERS: Readonly<Record<ReduceOp, Combine>> = {
  sum: (a, b) => a + b,
  prod: (a, b) => a * b,
  min: Math.min,
  max: Math.max,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

/** The same as a map, which does not find the properties that every object inherits. */
const byName: ReadonlyMap<string, Combine> = new Map(Object.entries(NUMBERS));

/**
 * The operation of `op` on two numbers: `+`, `*`, `Math.min`, `Math.max` in double precision, and JavaScript's `&`,
 * `|`, `^`, which convert both numbers to signed 32-bit integers first.
 * @throws UsageError for an unknown operator
 */
export function combineNumbers(op: ReduceOp | LocOp): Combine {
  const combine = byName.get(op);
  if (combine === undefined) {
    const names = [...byName.keys()].join(", ");
    const hint = isLocOp(op) ? " Pass { value, index }." : "";
    throw new UsageError(
      `Expected an op for numbers (${names}, or a function), got ${JSON.stringify(op) ?? String(op)}.${hint}`,
    );
  }
  return combine;
}

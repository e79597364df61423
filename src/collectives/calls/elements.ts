/** The operands of reductions as elements of a typed array, and their ops. */

import { UsageError } from "../../base/errors.ts";
import { shortText } from "../../base/short-text.ts";
import {
  ARRAY_NAMES,
  type ElementType,
  knownTypeOf,
  type NumberArray,
  OVER_SAME_BYTES,
  type ReduceOp,
  type TypedArray,
} from "../../memory/kernels/elements.ts";
import { checkBigint } from "../node/exposed-values.ts";
import type { Kind, OpName } from "../team/call-words.ts";
import type { Combine, Op, Payload } from "../team/payload.ts";

/** The operands of reductions. */
export type Reducible = number | bigint | TypedArray;

/** The ops for x: the name of an operator, or a function of two of its elements. Those of bits are not for arrays of floating-point numbers. */
export type OpFor<T> = T extends Float32Array | Float64Array
  ? Exclude<ReduceOp, "and" | "or" | "xor"> | Combine<number>
  : ReduceOp | (T extends number | NumberArray ? Combine<number> : Combine<bigint>);

/** The result type of a reduction of x: number for a number, bigint for a bigint, and the array itself. */
export type Reduced<T> = T extends number ? number : T extends bigint ? bigint : T;

/** x as an array of elements. */
export interface Elements {
  readonly array: TypedArray;
  readonly type: ElementType;
  readonly kind: Kind;
}

/** x as an array: a bigint as an array of length 1. @throws UsageError for another type, or a detached array */
export function elementsOf(payload: Payload, x: bigint | TypedArray): Elements {
  if (typeof x === "bigint") return { array: BigInt64Array.of(checkBigint(x)), type: "i64", kind: "bigint" };
  const type = knownTypeOf(x);
  if (type === undefined) {
    const advice = ArrayBuffer.isView(x)
      ? OVER_SAME_BYTES
      : "Put a list of numbers into an array, Float64Array.from(list); gather and allgather take other values.";
    throw new UsageError(
      `reduce, allreduce, scan and exscan take a number, a bigint or a typed array (${ARRAY_NAMES}), got ${shortText(x)}. ${advice}`,
    );
  }
  payload.check(x);
  return { array: x, type, kind: type };
}

/** A number as an array of length 1. */
export const numberElement = (x: number): Elements => ({
  array: Float64Array.of(x),
  type: "f64",
  kind: "number",
});

/** The array itself, or the element of the array that stands for x. */
export function resultOf<T extends Reducible>(x: T, array: TypedArray): T {
  return (typeof x === "object" ? x : array[0]) as T;
}

/** The name of an op. */
export const opName = (op: Op): OpName => (typeof op === "string" ? op : "function");

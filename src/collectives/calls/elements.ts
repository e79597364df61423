/** The operands of reductions as elements of a typed array, and their ops. */

import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import {
  ARRAY_NAMES,
  type BigIntArray,
  type ElementType,
  isLocOp,
  knownTypeOf,
  type NumberArray,
  OVER_SAME_BYTES,
  type TypedArray,
} from "../../ground/memory/kernels/elements.ts";
import { checkBigint } from "../node/exposed-values.ts";
import type { OperandKind } from "../team/call-words.ts";
import type { Combine, Op, Payload } from "../team/payload.ts";

/** A value and where it is: what `minloc` and `maxloc` compare. */
export interface Located {
  readonly value: number;
  /** A whole number: a rank, a position, … */
  readonly index: number;
}

/** The operands of reductions, elementwise. */
export type Reducible = number | bigint | TypedArray;

/** All operands of reductions. */
export type Operand = Reducible | Located;

/**
 * The ops for x: the name of an operator (bitwise ones for integers and numbers only), or a function of two of its
 * elements; for a typed array of pairs also `minloc` and `maxloc`, and for a value with its index only those.
 */
export type OpFor<T> = {
  // as a property's type, and with literals: so errors of TypeScript list the ops in place of names of types
  readonly op: T extends Located
    ? "minloc" | "maxloc"
    :
        | ("sum" | "prod" | "min" | "max")
        | (T extends Float32Array | Float64Array ? never : "and" | "or" | "xor")
        | (T extends NumberArray
            ? "minloc" | "maxloc" | Combine<number>
            : T extends BigIntArray
              ? "minloc" | "maxloc" | Combine<bigint>
              : T extends number
                ? Combine<number>
                : Combine<bigint>);
}["op"];

/** The result type of a reduction of x: that of its literals widened, and the array itself. */
export type Reduced<T> = T extends number ? number : T extends bigint ? bigint : T extends Located ? Located : T;

/** x as an array of elements. */
export interface ElementArray {
  readonly array: TypedArray;
  readonly type: ElementType;
  readonly kind: OperandKind;
}

/**
 * x as an array: a bigint as an array of length 1, a value with its index as one of length 2.
 * @throws UsageError for another type, or a detached array
 */
export function elementsOf(payload: Payload, x: bigint | TypedArray | Located): ElementArray {
  if (typeof x === "bigint") return { array: BigInt64Array.of(checkBigint(x)), type: "i64", kind: "bigint" };
  const type = knownTypeOf(x);
  if (type === undefined) return { array: pairOf(x as Located), type: "f64", kind: "pair" };
  payload.check(x as TypedArray);
  return { array: x as TypedArray, type, kind: type };
}

/** @throws UsageError for what no reduction takes */
function pairOf(x: Located | null | undefined): Float64Array {
  const { value, index } = x ?? {};
  if (typeof value === "number" && Number.isSafeInteger(index)) {
    const rest = Object.keys(x as Located).filter((name) => name !== "value" && name !== "index");
    if (rest.length === 0) return Float64Array.of(value, index as number);
    throw new UsageError(
      `minloc and maxloc: expected { value, index } alone, got ${rest.join(", ")}, too. Broadcast the rest from the PE that the index names.`,
    );
  }
  if (value !== undefined || index !== undefined) {
    throw new UsageError(
      "minloc and maxloc: expected { value, index }, a number and a whole number, got " +
        `{ value: ${shortText(value)}, index: ${shortText(index)} }.`,
    );
  }
  const advice = ArrayBuffer.isView(x)
    ? OVER_SAME_BYTES
    : "Put a list of numbers into an array, Float64Array.from(list); gather and allgather take other values.";
  throw new UsageError(
    `Reductions take a number, a bigint or a typed array (${ARRAY_NAMES}), with minloc and maxloc also ` +
      `{ value, index }, got ${shortText(x)}. ${advice}`,
  );
}

/**
 * Checks that an op fits its operand: `minloc` and `maxloc` take pairs, and pairs take nothing else.
 * @param length of the elements, or of the part of each PE
 * @throws UsageError
 */
export function checkPairs(op: Op, kind: OperandKind, length: number): void {
  if (!isLocOp(op)) {
    if (kind !== "pair") return;
    throw new UsageError(
      `op: expected "minloc" or "maxloc" for { value, index }, got ${shortText(op)}. Pass the value alone for another op.`,
    );
  }
  if (length % 2 === 0 && kind !== "bigint" && kind !== "number") return;
  const got = kind === "bigint" || kind === "number" ? `a ${kind}` : `${length} elements`;
  throw new UsageError(
    `op: ${op}: expected { value, index }, or a typed array of pairs (value, index, value, index, …), got ${got}.`,
  );
}

/** A number as an array of length 1. */
export const numberElement = (x: number): ElementArray => ({
  array: Float64Array.of(x),
  type: "f64",
  kind: "number",
});

/** The array itself, or what the elements of the array that stands for x are. */
export function resultOf<T extends Operand>(x: T, array: TypedArray): T {
  if (typeof x !== "object") return array[0] as T;
  return ((x as unknown) === array ? x : { value: array[0], index: array[1] }) as T;
}

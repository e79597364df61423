/**
 * The same reductions in plain JavaScript, for arrays outside the heap and for single values.
 *
 * {@link combine} gives the same bits as the kernels (except the bits of a NaN), at the speed of JavaScript: about 1 ns
 * per element in a program that reduces one kind of array with one operator, 6 ns with several operators, and 40 ns
 * from the fifth kind of array on, where V8 stops specialising. Arrays that are reduced often should be in the heap.
 * {@link combineNumbers} and {@link combineBigints} work on values that are in no array, so they neither wrap around
 * nor round to a narrower type. If arrays overlap partially, the result is undefined.
 *
 * Example: [1, 250] and [2, 10] as Uint8Array give [3, 4] under "sum"; the numbers 250 and 10 give 260.
 */
import { UsageError } from "../../base/errors.ts";
import {
  type BigIntArray,
  checkOp,
  elementTypeOf,
  type NumberArray,
  type ReduceOp,
  type TypedArray,
} from "./elements.ts";
import { isLocOp, type LocOp } from "./locations.ts";

type Combine<T> = (a: T, b: T) => T;

interface Elements<T> {
  readonly length: number;
  [index: number]: T;
}

const numbers: Readonly<Record<ReduceOp, Combine<number>>> = {
  sum: (a, b) => a + b,
  prod: (a, b) => a * b,
  min: Math.min,
  max: Math.max,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

/** The same as a map, which does not find the properties that every object inherits. */
const byName: ReadonlyMap<string, Combine<number>> = new Map(Object.entries(numbers));

const bigints: Readonly<Record<ReduceOp, Combine<bigint>>> = {
  sum: (a, b) => a + b,
  prod: (a, b) => a * b,
  // biome-ignore lint/complexity/useMathMinMax: Math.min takes no bigints
  min: (a, b) => (a < b ? a : b),
  // biome-ignore lint/complexity/useMathMinMax: Math.max takes no bigints
  max: (a, b) => (a > b ? a : b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

/**
 * The operation of `op` on two numbers: `+`, `*`, `Math.min`, `Math.max` in double precision, and JavaScript's `&`,
 * `|`, `^`, which convert both numbers to signed 32-bit integers first.
 * @throws UsageError for an unknown operator
 */
export function combineNumbers(op: ReduceOp | LocOp): (a: number, b: number) => number {
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

/** The operation of `op` on two bigints, of any size. @throws UsageError for an unknown operator */
export function combineBigints(op: ReduceOp): (a: bigint, b: bigint) => bigint {
  checkOp(op, "i64");
  return bigints[op];
}

/**
 * dst[i] = dst[i] op src[i] for all elements, as the kernels do it: integers wrap around (also those of a
 * Uint8ClampedArray), f32 is rounded to f32 at each step. The arrays may be the same.
 * @throws UsageError if the arrays differ in type or length, or their elements do not have `op`
 */
export function combine(op: ReduceOp, dst: TypedArray, src: TypedArray): void {
  const type = elementTypeOf(dst);
  checkOp(op, type);
  if (elementTypeOf(src) !== type || src.length !== dst.length) {
    throw new UsageError(
      `combine: expected two arrays of ${dst.length} elements of type ${type}, ` +
        `got a second one of ${src.length} elements of type ${elementTypeOf(src)}. Pass arrays of one kind and length.`,
    );
  }
  if (type === "i64" || type === "u64") {
    each(bigints[op], dst as BigIntArray, src as BigIntArray);
  } else {
    // a product of 32-bit factors has more bits than a double
    const imul = op === "prod" && !type.startsWith("f");
    each(imul ? Math.imul : numbers[op], unclamped(dst as NumberArray), unclamped(src as NumberArray));
  }
}

// storing into dst wraps integers around and rounds to f32
function each<T>(f: Combine<T>, dst: Elements<T>, src: Elements<T>): void {
  for (let i = 0; i < dst.length; i++) dst[i] = f(dst[i] as T, src[i] as T);
}

function unclamped(array: NumberArray): NumberArray {
  if (array[Symbol.toStringTag] !== "Uint8ClampedArray") return array;
  return new Uint8Array(array.buffer, array.byteOffset, array.length);
}

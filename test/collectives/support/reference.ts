/** What elements of typed arrays are and what ops do with them, worked out on one thread. */
import type { ReduceOp, TypedArray, TypedArrayConstructor } from "../../../src/index.ts";

/** Elements of typed arrays: numbers or bigints. */
export type Element = number | bigint;
export type Make = TypedArrayConstructor<TypedArray>;

/** Name of a type of typed array. */
export type TypeName =
  | "Int8Array"
  | "Uint8Array"
  | "Uint8ClampedArray"
  | "Int16Array"
  | "Uint16Array"
  | "Int32Array"
  | "Uint32Array"
  | "BigInt64Array"
  | "BigUint64Array"
  | "Float32Array"
  | "Float64Array";

const MAKES: Readonly<Record<TypeName, Make & (new (length: number) => TypedArray)>> = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  BigInt64Array,
  BigUint64Array,
  Float32Array,
  Float64Array,
};
export const TYPE_NAMES: readonly TypeName[] = Object.keys(MAKES) as TypeName[];
export const makeOf = (type: TypeName): Make => MAKES[type];

/** The type that holds the same elements without clamping: as clamped ones are reduced. */
const plainType = (type: TypeName): TypeName => (type === "Uint8ClampedArray" ? "Uint8Array" : type);

/** An array in memory of this thread. */
export const zeros = (type: TypeName, length: number): TypedArray => new MAKES[type](length);

export const isFloat = (type: TypeName): boolean => type.startsWith("Float");
export const isBig = (type: TypeName): boolean => type.startsWith("Big");

/** The operators that a type admits. */
export function opsOf(type: TypeName): ReduceOp[] {
  const float: ReduceOp[] = ["sum", "prod", "min", "max"];
  return isFloat(type) ? float : [...float, "and", "or", "xor"];
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ODD = [0, -0, 1, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324, 1e308];
/** Whichever way up to 8 of these are added or multiplied, the result is exact also in an f32. */
const TAME = [1, -1, 2, -2];

/**
 * `length` elements, the same for the same seed. Floats are now and then odd ones (NaN, infinities);
 * `tame` ones are such that the order of sums and products does not matter.
 */
export function elements(type: TypeName, length: number, seed: number, tame = false): TypedArray {
  const next = random(seed);
  const array = zeros(plainType(type), length);
  if (!isFloat(type)) {
    const bytes = new Uint8Array(array.buffer);
    const words = new Uint32Array(Math.ceil(bytes.length / 4));
    for (let i = 0; i < words.length; i++) words[i] = next() * 2 ** 32;
    bytes.set(new Uint8Array(words.buffer, 0, bytes.length));
    return array;
  }
  for (let i = 0; i < length; i++) {
    if (tame) array[i] = TAME[Math.floor(next() * TAME.length)];
    else array[i] = next() < 0.1 ? ODD[Math.floor(next() * ODD.length)] : (next() - 0.5) * 1000;
  }
  return array;
}

/** The same elements in an array of the type itself, which may be a clamped one. */
export function arrayOf(type: TypeName, length: number, seed: number): TypedArray {
  const array = elements(type, length, seed);
  return type === "Uint8ClampedArray" ? new Uint8ClampedArray(array.buffer) : array;
}

/** What an op does with two elements, before the result is stored. */
export type Step = (a: never, b: never) => Element;

const NUMBERS: Readonly<Record<ReduceOp, (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  prod: (a, b) => a * b,
  min: Math.min,
  max: Math.max,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

const BIGINTS: Readonly<Record<ReduceOp, (a: bigint, b: bigint) => bigint>> = {
  sum: (a, b) => a + b,
  prod: (a, b) => a * b,
  // biome-ignore lint/complexity/useMathMinMax: Math.min takes no bigints
  min: (a, b) => (b < a ? b : a),
  // biome-ignore lint/complexity/useMathMinMax: Math.max takes no bigints
  max: (a, b) => (b > a ? b : a),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

/** A product of 32 bits each may need 64, which no number holds. */
const product32 = (a: number, b: number): number => Number(BigInt.asUintN(32, BigInt(a) * BigInt(b)));

/** Functions of a user's own. The first is neither associative nor commutative: it shows the order. */
export const FUNCTIONS: Readonly<Record<string, Readonly<Record<"number" | "bigint", Step>>>> = {
  order: {
    number: (a: number, b: number) => (a * 31 + b) % 8191,
    bigint: (a: bigint, b: bigint) => (a * 31n + b) % 8191n,
  },
  smaller: { number: NUMBERS.min, bigint: BIGINTS.and },
};

/** What an op, or one of the functions above, does with elements of a type; storing wraps and rounds. */
export function stepOf(type: TypeName, op: string): Step {
  const numbers = isBig(type) ? "bigint" : "number";
  if (op in FUNCTIONS) return FUNCTIONS[op][numbers];
  if (isBig(type)) return BIGINTS[op as ReduceOp];
  return op === "prod" && /32/.test(type) && !isFloat(type) ? product32 : NUMBERS[op as ReduceOp];
}

/** a op b, element by element, in a new array. */
export function combineArrays(a: TypedArray, b: TypedArray, step: Step): TypedArray {
  const result = a.slice() as Float64Array;
  const apply = step as unknown as (a: number, b: number) => number;
  for (let i = 0; i < result.length; i++) result[i] = apply(result[i], b[i] as number);
  return result;
}

/** Index of the first element that differs (NaN is itself, -0 is not 0), or -1. */
export function firstDifference(got: ArrayLike<unknown>, expected: ArrayLike<unknown>): number {
  if (got.length !== expected.length) return Math.min(got.length, expected.length);
  for (let i = 0; i < expected.length; i++) if (!Object.is(got[i], expected[i])) return i;
  return -1;
}

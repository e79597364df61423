/** The elements of typed arrays and the operators that reductions apply to them. */
import { UsageError } from "../../base/errors.ts";

/** A reduction operator. `and`, `or`, `xor` are bitwise and for integers only. */
export type ReduceOp = "sum" | "prod" | "min" | "max" | "and" | "or" | "xor";

/** The representation of an element: i, u or f (signed, unsigned, floating) and its bits. */
export type ElementType = "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "f32" | "f64";

/** The typed arrays whose elements are numbers. */
export type NumberArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** The typed arrays whose elements are bigints. */
export type BigIntArray = BigInt64Array | BigUint64Array;

/** Any typed array that reductions accept. */
export type TypedArray = NumberArray | BigIntArray;

/** A constructor of typed arrays, also over shared memory. */
export interface ArrayType<T extends TypedArray = TypedArray> {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): T;
  new (buffer: SharedArrayBuffer, byteOffset: number, length: number): T;
}

/** The typed array of each element type. */
export const ARRAYS = {
  i8: Int8Array as ArrayType<Int8Array>,
  u8: Uint8Array as ArrayType<Uint8Array>,
  i16: Int16Array as ArrayType<Int16Array>,
  u16: Uint16Array as ArrayType<Uint16Array>,
  i32: Int32Array as ArrayType<Int32Array>,
  u32: Uint32Array as ArrayType<Uint32Array>,
  i64: BigInt64Array as ArrayType<BigInt64Array>,
  u64: BigUint64Array as ArrayType<BigUint64Array>,
  f32: Float32Array as ArrayType<Float32Array>,
  f64: Float64Array as ArrayType<Float64Array>,
} as const;

/** The constructors of all typed arrays that are supported. */
export const ARRAY_CONSTRUCTORS: readonly ArrayType[] = [
  ...Object.values<ArrayType>(ARRAYS),
  Uint8ClampedArray as ArrayType<Uint8ClampedArray>,
];

const FLOAT_OPS: readonly ReduceOp[] = ["sum", "prod", "min", "max"];
const INTEGER_OPS: readonly ReduceOp[] = [...FLOAT_OPS, "and", "or", "xor"];

const TYPES: ReadonlyMap<string, ElementType> = new Map<string, ElementType>([
  ["Int8Array", "i8"],
  ["Uint8Array", "u8"],
  ["Uint8ClampedArray", "u8"],
  ["Int16Array", "i16"],
  ["Uint16Array", "u16"],
  ["Int32Array", "i32"],
  ["Uint32Array", "u32"],
  ["BigInt64Array", "i64"],
  ["BigUint64Array", "u64"],
  ["Float32Array", "f32"],
  ["Float64Array", "f64"],
]);

/** An operator over pairs of a value and its index (locations.ts). */
export type LocOp = "minloc" | "maxloc";

/** Whether an op is one of these. */
export const isLocOp = (op: unknown): op is LocOp => op === "minloc" || op === "maxloc";

/** The names of the typed arrays, for messages. */
export const ARRAY_NAMES: string = [...TYPES.keys()].join(", ");

/** Advice for a view that is not a supported typed array. */
export const OVER_SAME_BYTES =
  "Make one over the same bytes, e.g. new Float64Array(view.buffer, view.byteOffset, length).";

/** Every element type. */
export const ELEMENT_TYPES: ReadonlySet<ElementType> = new Set(TYPES.values());

/**
 * The type of a typed array's elements. A Uint8ClampedArray has elements u8: reductions wrap them around (200 + 100 =
 * 44) instead of clamping.
 * @throws UsageError for a DataView and any other value that is not a typed array of the table above
 */
export function elementTypeOf(view: ArrayBufferView): ElementType {
  const type = knownTypeOf(view);
  if (type !== undefined) return type;
  const tag = (view as Partial<TypedArray> | null | undefined)?.[Symbol.toStringTag] ?? typeof view;
  const advice = ArrayBuffer.isView(view) ? ` ${OVER_SAME_BYTES}` : "";
  throw new UsageError(`Expected a typed array (${ARRAY_NAMES}), got ${tag}.${advice}`);
}

/** As {@link elementTypeOf}; undefined where that throws. */
export function knownTypeOf(view: unknown): ElementType | undefined {
  // the tag, unlike `constructor`, also holds for subclasses (Buffer) and other realms
  return TYPES.get((view as Partial<TypedArray> | null | undefined)?.[Symbol.toStringTag] ?? "");
}

/** Whether x is a typed array (a DataView is not). */
export function isTypedArray(x: unknown): x is TypedArray {
  return ArrayBuffer.isView(x) && !(x instanceof DataView);
}

/** The operators of an element type, for example `["sum", "prod", "min", "max"]` for f64. */
export function opsOf(type: ElementType): readonly ReduceOp[] {
  return type.startsWith("f") ? FLOAT_OPS : INTEGER_OPS;
}

/** @throws UsageError with the valid operators or types if an operator cannot reduce elements of a type */
export function checkOp(op: ReduceOp, type: ElementType): void {
  if (!ELEMENT_TYPES.has(type)) {
    throw new UsageError(
      `Expected an element type (${[...ELEMENT_TYPES].join(", ")}), got "${type}". Use elementTypeOf().`,
    );
  }
  if (!opsOf(type).includes(op)) {
    throw new UsageError(
      `Expected an operator for elements of type ${type} (${opsOf(type).join(", ")}), got "${op}". ` +
        "Use one of these, or elements of another type.",
    );
  }
}

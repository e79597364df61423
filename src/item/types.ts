/**
 * Item types: what one item of a conveyor is made of, and how it lies in memory.
 *
 * What: scalars, byte strings of a fixed length, and structs of both, nested as one likes. Fields lie in
 * the order in which they are named, each at a multiple of its own alignment, as in C; a struct's size is a
 * multiple of its largest alignment, so that items can follow each other.
 *
 * Example: struct({ slot: u32, value: f64, key: bytes(3) })
 *
 *     byte 0      4      8             16     19     24
 *          ┌──────┬──────┬─────────────┬──────┬──────┐
 *          │ slot │ pad  │ value       │ key  │ pad  │   24 bytes, aligned to 8
 *          └──────┴──────┴─────────────┴──────┴──────┘
 */

import { UsageError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";

/** Scalars by name: how many bytes, and whether JavaScript reads them as bigints. */
export type ScalarName = "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "f32" | "f64";

interface Sized {
  /** Bytes of one item. */
  readonly bytes: number;
  /** What its offset is a multiple of: 1, 2, 4 or 8. */
  readonly align: number;
}

/** A number or a bigint of a fixed width; `Value` is what JavaScript reads. */
export interface Scalar<Value extends number | bigint = number | bigint, Name extends ScalarName = ScalarName>
  extends Sized {
  /** Tells item types apart. */
  readonly kind: "scalar";
  /** As it is exported. */
  readonly name: Name;
  /** Never there; carries the type. */
  readonly value?: Value;
}

/** So many bytes; read as a view of them, without a copy. */
export interface Bytes extends Sized {
  /** Tells item types apart. */
  readonly kind: "bytes";
}

/** What a struct is made from: its fields by name, in order. */
export interface Fields {
  readonly [name: string]: ItemType;
}

/** A field of a struct. */
export interface Field {
  /** What it is called. */
  readonly name: string;
  /** What it is. */
  readonly type: ItemType;
  /** Where it begins, bytes from the start of the struct. */
  readonly offset: number;
}

/** Fields by name. */
export interface Struct<F extends Fields = Fields> extends Sized {
  /** Tells item types apart. */
  readonly kind: "struct";
  /** In order. */
  readonly fields: readonly Field[];
  /** Never there; carries the type. */
  readonly shape?: F;
}

/** What an item can be. */
export type ItemType = Scalar | Bytes | Struct;

/** What is read of an item: a number, a bigint, a view of bytes, or an object with the fields. */
export type ItemValue<I> =
  I extends Scalar<infer Value>
    ? Value
    : I extends Bytes
      ? Uint8Array
      : I extends Struct<infer F>
        ? { readonly [Name in keyof F]: ItemValue<F[Name]> }
        : never;

/** What push takes after the destination: the fields in order; one value for an item that is no struct. */
export type ItemArguments<I> =
  I extends Struct<infer F> ? readonly ItemValue<F[keyof F]>[] : readonly [value: ItemValue<I>];

/** Largest item, bytes. */
const MAX_ITEM_BYTES = 2 ** 30;

/**
 * What only item types have, as code is generated from their offsets and names. Registered, so that the types
 * of one copy of this package are good for another; not enumerable, so that a copy of a type is none.
 */
const BRAND: unique symbol = Symbol.for("tundish.item") as never;

function branded<T extends ItemType>(type: T): T {
  return Object.freeze(Object.defineProperty(type, BRAND, { value: true }));
}

const scalar = <Value extends number | bigint, Name extends ScalarName>(
  name: Name,
  bytes: number,
): Scalar<Value, Name> => branded({ kind: "scalar", name, bytes, align: bytes });

/** A signed integer of 8 bits. */
export const i8: Scalar<number, "i8"> = scalar("i8", 1);
/** An unsigned integer of 8 bits. */
export const u8: Scalar<number, "u8"> = scalar("u8", 1);
/** A signed integer of 16 bits. */
export const i16: Scalar<number, "i16"> = scalar("i16", 2);
/** An unsigned integer of 16 bits. */
export const u16: Scalar<number, "u16"> = scalar("u16", 2);
/** A signed integer of 32 bits. */
export const i32: Scalar<number, "i32"> = scalar("i32", 4);
/** An unsigned integer of 32 bits. */
export const u32: Scalar<number, "u32"> = scalar("u32", 4);
/** A signed integer of 64 bits, a bigint. */
export const i64: Scalar<bigint, "i64"> = scalar("i64", 8);
/** An unsigned integer of 64 bits, a bigint. */
export const u64: Scalar<bigint, "u64"> = scalar("u64", 8);
/** A floating point number of 32 bits. */
export const f32: Scalar<number, "f32"> = scalar("f32", 4);
/** A floating point number of 64 bits. */
export const f64: Scalar<number, "f64"> = scalar("f64", 8);

/**
 * A string of exactly `length` bytes.
 * @throws UsageError for anything but a whole number from 1 to 2^30
 */
export function bytes(length: number): Bytes {
  if (!(Number.isInteger(length) && length >= 1 && length <= MAX_ITEM_BYTES)) {
    throw new UsageError(
      `bytes: expected a whole number from 1 to ${MAX_ITEM_BYTES}, got ${shortText(length)}`,
    );
  }
  return branded({ kind: "bytes", bytes: length, align: 1 });
}

/**
 * An item of several fields, in the order in which they are named.
 * @throws UsageError for no fields, names that are numbers (JavaScript would reorder them), and fields
 *   that are no item types
 */
export function struct<const F extends Fields>(fields: F): Struct<F> {
  const given = typeof fields === "object" && fields !== null ? Object.entries(fields) : [];
  if (given.length === 0) {
    throw new UsageError(
      `struct: expected fields, as in { slot: u32, value: f64 }, got ${shortText(fields)}`,
    );
  }
  const placed: Field[] = [];
  let offset = 0;
  let align = 1;
  for (const [name, type] of given) {
    if (!isItemType(type)) {
      throw new UsageError(
        `struct: expected an item type (i8 … f64, bytes(n), struct({…})) for ${name}, got ${shortText(type)}`,
      );
    }
    if (/^\d+$|^__proto__$/.test(name)) {
      throw new UsageError(`struct: a field cannot be called ${name}; call it x${name}`);
    }
    offset = roundUp(offset, type.align);
    placed.push(Object.freeze({ name, type, offset }));
    offset += type.bytes;
    align = Math.max(align, type.align);
  }
  const whole = roundUp(offset, align);
  if (whole > MAX_ITEM_BYTES) {
    throw new UsageError(`struct: expected at most ${MAX_ITEM_BYTES} bytes in all, got ${whole}`);
  }
  return branded({ kind: "struct", fields: Object.freeze(placed), bytes: whole, align });
}

/** Whether x is what this file makes, in this copy of the package or another; what merely looks like it is not. */
export function isItemType(x: unknown): x is ItemType {
  // frozen: also behind a proxy its properties are what they were
  return typeof x === "object" && x !== null && Object.hasOwn(x, BRAND) && Object.isFrozen(x);
}

/** The next multiple of `align`. */
export function roundUp(size: number, align: number): number {
  return Math.ceil(size / align) * align;
}

/** An item type in words: all that there is to it. */
export function describeItem(item: ItemType): string {
  if (item.kind === "scalar") return item.name;
  if (item.kind === "bytes") return `bytes(${item.bytes})`;
  return `{ ${item.fields.map(({ name, type }) => `${name}: ${describeItem(type)}`).join(", ")} }`;
}

/**
 * Item types: the contents of one item of a conveyor and their layout in memory.
 *
 * An item is a scalar, a byte string of fixed length, or a struct of these, nested to any depth. Fields are stored in
 * the order in which they are named, each aligned to its own alignment, as in C. The size of a struct is a multiple of
 * its largest alignment, so that items can be stored one after another.
 *
 * Example: struct({ slot: u32, value: f64, key: bytes(3) })
 *
 *     byte 0      4      8             16     19     24
 *          ┌──────┬──────┬─────────────┬──────┬──────┐
 *          │ slot │ pad  │ value       │ key  │ pad  │   24 bytes, aligned to 8
 *          └──────┴──────┴─────────────┴──────┴──────┘
 */

import { UsageError } from "../base/errors.ts";
import { define } from "../base/objects/define.ts";
import { shortText } from "../base/short-text.ts";
import type { FieldNames, FieldsOfAll, NamesOfAll } from "./field-order.ts";

/** Scalar types by name: width in bits, and `i64` and `u64` are read as bigints. */
export type ScalarName = "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "f32" | "f64";

interface Sized {
  /** Bytes of one item. */
  readonly bytes: number;
  /** Alignment: 1, 2, 4 or 8. */
  readonly align: number;
}

/** A number or a bigint of fixed width; `Value` is its JavaScript type. */
export interface Scalar<Value extends number | bigint = number | bigint, Name extends ScalarName = ScalarName>
  extends Sized {
  /** Discriminates item types. */
  readonly kind: "scalar";
  /** The exported name. */
  readonly name: Name;
  /** Never present; carries the type. */
  readonly value?: Value;
}

/** A byte string of fixed length; read as a view, without a copy. */
export interface Bytes extends Sized {
  /** Discriminates item types. */
  readonly kind: "bytes";
}

/** The fields of a struct by name, in order. */
export interface Fields {
  readonly [name: string]: ItemType;
}

/** A field of a struct. */
export interface Field {
  /** Its name. */
  readonly name: string;
  /** Its type. */
  readonly type: ItemType;
  /** Offset in bytes from the start of the struct. */
  readonly offset: number;
}

/** A struct: fields by name. `Order` are their names in order: structs that differ in it are different types. */
export interface Struct<F extends Fields = Fields, Order extends readonly string[] = FieldNames<F>> extends Sized {
  /** Discriminates item types. */
  readonly kind: "struct";
  /** The fields in order. */
  readonly fields: readonly Field[];
  /** Never present; carries the type. */
  readonly shape?: F;
  /** Never present; carries the type. */
  readonly order?: Order;
}

/** Any item type. */
export type ItemType = Scalar | Bytes | Struct;

/** The value of an item as read: a number, a bigint, a view of bytes, or an object of the fields. */
export type ItemValue<I> =
  I extends Scalar<infer Value>
    ? Value
    : I extends Bytes
      ? Uint8Array
      : I extends Struct<infer F, readonly string[]>
        ? { readonly [Name in keyof F]: ItemValue<F[Name]> }
        : never;

/** Largest item, bytes. */
const MAX_ITEM_BYTES = 2 ** 30;
/** Most scalars and byte strings in an item: each is an argument or a line of the code that is generated for it. */
const MAX_FIELDS = 4096;
/** Structs within each other at most: code for them is nested, too. */
const MAX_DEPTH = 64;

/**
 * Marks genuine item types: code is generated from their offsets and names, so a look-alike must be rejected. The
 * symbol is registered, so that types of one copy of this package are valid in another. It is not enumerable, so that a
 * copy of an item type is not an item type.
 */
const BRAND: unique symbol = Symbol.for("tundish.item") as never;

function branded<T extends ItemType>(type: T): T {
  return Object.freeze(define(type, BRAND, { value: true }));
}

const scalar = <Value extends number | bigint, Name extends ScalarName>(
  name: Name,
  bytes: number,
): Scalar<Value, Name> => branded({ kind: "scalar", name, bytes, align: bytes });

/** A signed 8-bit integer. */
export const i8: Scalar<number, "i8"> = scalar("i8", 1);
/** An unsigned 8-bit integer. */
export const u8: Scalar<number, "u8"> = scalar("u8", 1);
/** A signed 16-bit integer. */
export const i16: Scalar<number, "i16"> = scalar("i16", 2);
/** An unsigned 16-bit integer. */
export const u16: Scalar<number, "u16"> = scalar("u16", 2);
/** A signed 32-bit integer. */
export const i32: Scalar<number, "i32"> = scalar("i32", 4);
/** An unsigned 32-bit integer. */
export const u32: Scalar<number, "u32"> = scalar("u32", 4);
/** A signed 64-bit integer, a bigint. */
export const i64: Scalar<bigint, "i64"> = scalar("i64", 8);
/** An unsigned 64-bit integer, a bigint. */
export const u64: Scalar<bigint, "u64"> = scalar("u64", 8);
/** A 32-bit floating-point number. */
export const f32: Scalar<number, "f32"> = scalar("f32", 4);
/** A 64-bit floating-point number. */
export const f64: Scalar<number, "f64"> = scalar("f64", 8);

/** A byte string of exactly `length` bytes. @throws UsageError unless `length` is a whole number from 1 to 2^30 */
export function bytes(length: number): Bytes {
  if (!(Number.isInteger(length) && length >= 1 && length <= MAX_ITEM_BYTES)) {
    throw new UsageError(`bytes: expected a whole number from 1 to ${MAX_ITEM_BYTES}, got ${shortText(length)}`);
  }
  return branded({ kind: "bytes", bytes: length, align: 1 });
}

/**
 * A struct: an item of several fields, stored in the order in which they are named. Its values are pushed in the same
 * order; how many and of what types is checked when a program is compiled.
 *
 * More fields follow those of the first object with `struct(first, more)`. Do not spread objects, as in
 * `struct({ ...first, value: f64 })`: TypeScript takes the fields of such an object to be in another order, and then
 * refuses pushes of numbers, bigints and bytes in the right one.
 * @throws UsageError for no fields, for a name that is given twice, for names that are numbers (JavaScript would
 * reorder them),
 *   for fields that are not item types, for more than 4096 fields in all or structs nested more than 64 deep
 */
export function struct<const F extends Fields>(fields: F): Struct<F>;
/** As above, with the fields of several objects, one after the other. */
export function struct<const Parts extends readonly [Fields, ...Fields[]]>(
  ...parts: Parts
): Struct<Extract<FieldsOfAll<Parts>, Fields>, NamesOfAll<Parts>>;
export function struct(first: Fields, ...more: readonly Fields[]): Struct {
  const given = [first, ...more].flatMap((part) => {
    const fields = typeof part === "object" && part !== null ? Object.entries(part) : [];
    if (fields.length > 0) return fields;
    throw new UsageError(`struct: expected fields, as in { slot: u32, value: f64 }, got ${shortText(part)}`);
  });
  const placed: Field[] = [];
  const names = new Set<string>();
  let offset = 0;
  let leaves = 0;
  let depth = 1;
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
    if (names.has(name)) throw new UsageError(`struct: expected different names, got ${name} twice`);
    names.add(name);
    const inner = extentOf(type);
    leaves += inner.leaves;
    depth = Math.max(depth, inner.depth + 1);
    offset = roundUp(offset, type.align);
    placed.push(Object.freeze({ name, type, offset }));
    offset += type.bytes;
    align = Math.max(align, type.align);
  }
  if (leaves > MAX_FIELDS || depth > MAX_DEPTH) {
    const [most, got] =
      leaves > MAX_FIELDS
        ? [`${MAX_FIELDS} fields, those of structs within it included`, leaves]
        : [`${MAX_DEPTH} structs within each other`, depth];
    throw new UsageError(`struct: expected at most ${most}, got ${got}. Use bytes(n), and a layout of your own.`);
  }
  const whole = roundUp(offset, align);
  if (whole > MAX_ITEM_BYTES) {
    throw new UsageError(`struct: expected at most ${MAX_ITEM_BYTES} bytes in all, got ${whole}`);
  }
  return branded({ kind: "struct", fields: Object.freeze(placed), bytes: whole, align });
}

/** How many scalars and byte strings an item has, and how deep its structs are nested. */
function extentOf(item: ItemType): { readonly leaves: number; readonly depth: number } {
  if (item.kind !== "struct") return { leaves: 1, depth: 0 };
  const inner = item.fields.map(({ type }) => extentOf(type));
  const leaves = inner.reduce((sum, one) => sum + one.leaves, 0);
  return { leaves, depth: 1 + Math.max(...inner.map((one) => one.depth)) };
}

/** Whether x was made by this file, in this copy of the package or in another. */
export function isItemType(x: unknown): x is ItemType {
  // frozen: even a proxy cannot report other properties
  return typeof x === "object" && x !== null && Object.hasOwn(x, BRAND) && Object.isFrozen(x);
}

/** Whether an item is, or contains, a string of bytes, which is read as a view. */
export function showsBytes(item: ItemType): boolean {
  return item.kind === "struct" ? item.fields.some(({ type }) => showsBytes(type)) : item.kind === "bytes";
}

/** The next multiple of `align`. */
export function roundUp(size: number, align: number): number {
  return Math.ceil(size / align) * align;
}

/** A name that needs no quotes. */
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** A complete description of an item type: types that differ have different ones. */
export function describeItem(item: ItemType): string {
  if (item.kind === "scalar") return item.name;
  if (item.kind === "bytes") return `bytes(${item.bytes})`;
  const shown = (name: string): string => (IDENTIFIER.test(name) ? name : JSON.stringify(name));
  return `{ ${item.fields.map(({ name, type }) => `${shown(name)}: ${describeItem(type)}`).join(", ")} }`;
}

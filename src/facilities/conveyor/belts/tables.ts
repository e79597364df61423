/** Tables that items are for: typed arrays, and the field of an item that says which element it names. */
import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { arrayInWords, lanesOf } from "../../../ground/item/columns.ts";
import { describeItem, type ItemType, type ScalarName, type Struct } from "../../../ground/item/item-type.ts";
import { FREED, isFreed } from "../../../ground/memory/freed.ts";
import { ARRAY_NAMES, knownTypeOf, type TypedArray } from "../../../ground/memory/kernels/elements.ts";

/** The names of the fields of a struct that are no structs, `pair.key` for one of a struct within it. */
export type FieldName<I> =
  I extends Struct<infer F>
    ? {
        [Name in keyof F & string]: F[Name] extends Struct ? `${Name}.${FieldName<F[Name]>}` : Name;
      }[keyof F & string]
    : never;

/** A field of an item that is a number. */
export interface ScalarField {
  readonly type: ScalarName;
  /** Offset in bytes from the start of the item. */
  readonly offset: number;
}

const isInteger = (type: ScalarName): boolean => !type.startsWith("f");

/**
 * The field of an item with the indices of a table.
 * @param name of the field of a struct @param call for messages
 * @throws UsageError unless it is an integer
 */
export function indexField(item: ItemType, name: unknown, call: string): ScalarField {
  return fieldOf(item, name, call, "index", isInteger, "an integer");
}

/**
 * The field with the values, as {@link indexField}.
 * @param table type of the elements, which must have all the values
 */
export function valueField(item: ItemType, name: unknown, table: ScalarName, call: string): ScalarField {
  // an item that is no struct is the index
  const fits = (type: ScalarName): boolean => item.kind === "struct" && hasAll(table, type);
  return fieldOf(item, name, call, "value", fits, `one whose values a table of ${table} can hold`);
}

function fieldOf(
  item: ItemType,
  name: unknown,
  call: string,
  what: string,
  fits: (type: ScalarName) => boolean,
  wanted: string,
): ScalarField {
  const fields = lanesOf(item).flatMap(({ path, type, offset }) =>
    type.kind === "scalar" && fits(type.name) ? [{ path: path.join("."), type: type.name, offset }] : [],
  );
  // a bare scalar has no name
  const field = fields.find(({ path }) => path === (name ?? ""));
  if (field !== undefined) return field;
  const known = fields.map(({ path }) => path || "the item itself, which has no name").join(", ");
  throw new UsageError(
    `${call}: ${what}: expected the name of a field that is ${wanted} (${known || "there is none"}), got ${shortText(name)}; ` +
      `the items are ${describeItem(item)}`,
  );
}

/** Bits of a type. */
const bitsOf = (type: ScalarName): number => Number(type.slice(1));

/** Whether a type has all values of another one, as JavaScript reads them: numbers or bigints. */
function hasAll(type: ScalarName, other: ScalarName): boolean {
  if (type === other) return true;
  const [bits, others] = [bitsOf(type), bitsOf(other)];
  // bigints are of 64 bits, and numbers are none
  if (others >= bits || (isInteger(type) && bits === 64)) return false;
  if (!isInteger(type)) return !isInteger(other) || others < (bits === 32 ? 24 : 53);
  return isInteger(other) && (other.startsWith("u") || type.startsWith("i"));
}

/** The type of a table's elements. @throws UsageError for what is no table, and for one that was freed */
export function tableType(table: unknown, call: string): ScalarName {
  const type = knownTypeOf(table);
  // what does not fit is clamped there
  if (type === undefined || table instanceof Uint8ClampedArray) {
    const names = ARRAY_NAMES.replace(" Uint8ClampedArray,", "");
    throw new UsageError(`${call}: table: expected a typed array (${names}), got ${arrayInWords(table)}`);
  }
  checkTable(table as TypedArray, call);
  return type;
}

/** @throws UsageError for a table that was freed since it was looked at */
export function checkTable(table: TypedArray, call: string): void {
  if (isFreed(table)) throw new UsageError(`${call}: table: expected ${FREED}`);
}

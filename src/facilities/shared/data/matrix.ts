/** Matrices that all PEs of a node see: rows one after the other, in one typed array. */
import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { arrayInWords, type ColumnArray } from "../../../ground/item/columns.ts";
import { isItemType, type Scalar, type ScalarName } from "../../../ground/item/item-type.ts";
import type { Views } from "../../../ground/item/views.ts";
import { ARRAYS } from "../../../ground/memory/kernels/elements.ts";
import type { Group } from "../../../pe/group.ts";
import { type SharedOptions, sharedBlock } from "../block.ts";
import { arraysText } from "./over.ts";
import { checkLength, DATA_OPTIONS } from "./structs.ts";

/** A matrix in the heap, made by {@link sharedMatrix}. */
export interface SharedMatrix<A> {
  readonly rows: number;
  readonly columns: number;
  /** All elements: that of row i and column j is at `i * columns + j`. */
  readonly data: A;
  /** Row i as a view, made once. @throws UsageError for a row that is not there */
  row(i: number): A;
  /** This PE uses it no more; when all have left, the heap gets its memory back. */
  leave(): void;
}

/**
 * Makes a matrix that the PEs of a group share, all of one node; zero at first. Collective, as {@link sharedStructs}.
 *
 *     const grid = sharedMatrix(pe, f64, 512, 512);
 *     grid.row(pe.rank).fill(1);
 *
 * @param type of its elements: f64, i32 …; or an array of `allocShared` with rows x columns elements, row after row,
 *   which is used as it is, and stays when all have left
 * @throws as sharedStructs
 */
export function sharedMatrix<Name extends ScalarName>(
  pe: Group,
  type: Scalar<number | bigint, Name>,
  rows: number,
  columns: number,
  options?: SharedOptions,
): SharedMatrix<Views[Name]>;
export function sharedMatrix<A extends Views[ScalarName]>(
  pe: Group,
  over: A,
  rows: number,
  columns: number,
  options?: SharedOptions,
): SharedMatrix<A>;
export function sharedMatrix(
  pe: Group,
  over: Scalar<number | bigint> | ColumnArray,
  rows: number,
  columns: number,
  options: SharedOptions = {},
): SharedMatrix<ColumnArray> {
  const given = arrayOf(over);
  const type = isItemType(over) && over.kind === "scalar" ? over : null;
  if (given === null && type === null) {
    throw new UsageError(
      `sharedMatrix: expected the type of an element, as f64 or i32, or an array of allocShared, got ${shortText(over)}`,
    );
  }
  const size = rows * columns;
  const bytes = type === null ? 0 : size * type.bytes;
  checkLength("sharedMatrix", "rows", rows);
  checkLength("sharedMatrix", "columns", columns);
  checkLength("sharedMatrix", "elements", size);
  if (given !== null && given.length !== size) {
    throw new UsageError(`sharedMatrix: expected ${rows} x ${columns} elements, got a ${arrayInWords(given)}`);
  }
  const making = {
    call: "sharedMatrix",
    kind: "matrix",
    schema: DATA_OPTIONS,
    bytes: () => bytes,
    terms: ` of ${rows} x ${columns} ${type === null ? `elements${arraysText(pe, "sharedMatrix", [given as ColumnArray])}` : type.name}`,
    mayBeLarge: true,
  };
  const block = sharedBlock(pe, making, options);
  const data = given ?? new ARRAYS[(type as Scalar).name](block.buffer as never, block.offset, size);
  const made: ColumnArray[] = [];
  return Object.freeze({
    rows,
    columns,
    data,
    row(i: number) {
      if (!(Number.isInteger(i) && i >= 0 && i < rows)) {
        throw new UsageError(`row: expected a row from 0 to ${rows - 1} of the ${block.what}, got ${shortText(i)}`);
      }
      made[i] ??= data.subarray(i * columns, (i + 1) * columns);
      return made[i];
    },
    leave: () => void block.leave(),
  });
}

const arrayOf = (over: unknown): ColumnArray | null =>
  Object.values(ARRAYS).some((type) => over instanceof (type as never)) ? (over as ColumnArray) : null;

/** Code that is generated for tables that are not in the heap, which kernels do not see: the same loops as theirs. */
import type { ColumnArray } from "../../../ground/item/columns.ts";
import type { ScalarName } from "../../../ground/item/item-type.ts";
import type { TypedArray } from "../../../ground/memory/kernels/elements.ts";
import type { TableOp } from "../kernels/tables.ts";
import { generate } from "./generate.ts";

/**
 * Adds items to a table until one names no element of it: their indices are the elements of `indices` from `index` on,
 * `indexStep` apart, and likewise their values. Gives how many were added.
 */
export type AddAll = (
  table: TypedArray,
  indices: ColumnArray,
  index: number,
  indexStep: number,
  values: ColumnArray,
  value: number,
  valueStep: number,
  count: number,
) => number;

/** Copies the elements that indices name to `to`, from its element `at` on; else as {@link AddAll}. */
export type CopyAll = (
  table: TypedArray,
  indices: ColumnArray,
  index: number,
  indexStep: number,
  to: ColumnArray,
  at: number,
  count: number,
) => number;

const isBig = (type: ScalarName): boolean => type === "i64" || type === "u64";

/** The effect of the item with the value `values[value]` on element i. @param type of the table */
function effectOf(op: TableOp, type: ScalarName): string {
  if (op === "count") return isBig(type) ? "table[i] += 1n;" : "table[i]++;";
  if (op === "sum") return "table[i] += values[value];";
  if (op === "replace") return "table[i] = values[value];";
  if (!isBig(type)) return `table[i] = Math.${op}(table[i], values[value]);`;
  return `if (values[value] ${op === "min" ? "<" : ">"} table[i]) table[i] = values[value];`;
}

/** The loop: `effect` is for element i. @param index type of the indices @param step is done after each item */
const loop = (index: ScalarName, effect: string, step: string): string => `
      const { length } = table;
      for (let k = 0; k < count; k++) {
        const i = ${isBig(index) ? "Number(indices[index])" : "indices[index]"};
        if (i < 0 || i >= length) return k;
        ${effect}
        index = (index + indexStep) >>> 0;
        ${step}
      }
      return count;`;

/** @param type of the table's elements @param value type of the values */
export function addCode(op: TableOp, type: ScalarName, index: ScalarName, value: ScalarName): AddAll {
  const source = `"use strict";
    return function addAll(table, indices, index, indexStep, values, value, valueStep, count) {${loop(index, effectOf(op, type), op === "count" ? "" : "value = (value + valueStep) >>> 0;")}
    };`;
  return generate(`table/${op}/${type}[${index}],${value}`, source, {}) as AddAll;
}

/** @param type of the table's elements */
export function copyCode(type: ScalarName, index: ScalarName): CopyAll {
  const source = `"use strict";
    return function copyAll(table, indices, index, indexStep, to, at, count) {${loop(index, "to[at] = table[i];", "at = (at + 1) >>> 0;")}
    };`;
  return generate(`table/copy/${type}[${index}]`, source, {}) as CopyAll;
}

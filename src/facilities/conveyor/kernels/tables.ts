/** Operations of kernels on the elements of a table, and the types of these: the numbers that they have there. */
import type { ScalarName } from "../../../ground/item/item-type.ts";

/**
 * The effect of an item on its element of a table: counts itself in it, is added, is kept if it is less or more, is
 * stored.
 */
export type TableOp = "count" | "sum" | "min" | "max" | "replace";

/** All, in the order of their numbers. */
export const TABLE_OPS: readonly TableOp[] = ["count", "sum", "min", "max", "replace"];

const TYPES: readonly ScalarName[] = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"];

export const opNumber = (op: TableOp): number => TABLE_OPS.indexOf(op);

export const typeNumber = (type: ScalarName): number => TYPES.indexOf(type);

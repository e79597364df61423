/** Operators on two elements of a typed array, as reductions have them. */
import type { ScalarName } from "../item/types.ts";
import { opsOf, type ReduceOp } from "../memory/kernels/elements.ts";
import { combineBigints, combineNumbers } from "../memory/kernels/scalar.ts";

/** What combines two elements; what it gives wraps around, or is rounded, where it is stored. */
export type Combining = (a: unknown, b: unknown) => unknown;

/** Null for an operator that elements of the type have not. */
export function combiningOf(op: ReduceOp, type: ScalarName): Combining | null {
  if (!opsOf(type).includes(op)) return null;
  if (type === "i64" || type === "u64") return combineBigints(op) as unknown as Combining;
  // a product of 32-bit factors has more bits than a double
  if (op === "prod" && !type.startsWith("f")) return Math.imul as unknown as Combining;
  return combineNumbers(op) as unknown as Combining;
}

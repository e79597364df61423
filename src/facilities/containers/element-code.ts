/** Code generated for elements that are numbers or bigints: an operation on its element, without boxed numbers. */

import type { Scalar, ScalarName } from "../../ground/item/item-type.ts";
import { opsOf, type ReduceOp } from "../../ground/memory/kernels/elements.ts";
import { generate } from "../conveyor/codegen/generate.ts";
import { element } from "../conveyor/codegen/parts.ts";
import type { Cursor } from "./content/cursor.ts";
import type { Elements } from "./element.ts";

/** Does to the element at a place what an operation says. @param from where its value is */
export type Effect = (elements: Elements<unknown>, place: number, from: Cursor) => void;

/** The same with a value that is not written into an operation. @returns false, and does nothing, for no value */
export type OwnEffect = (elements: Elements<unknown>, place: number, value: unknown) => boolean;

/** The number that an operation would have: wrapped around, or rounded. */
const AS_WRITTEN: Readonly<Record<ScalarName, string>> = {
  i8: "(b << 24) >> 24",
  u8: "b & 255",
  i16: "(b << 16) >> 16",
  u16: "b & 65535",
  i32: "b | 0",
  u32: "b >>> 0",
  f32: "Math.fround(b)",
  f64: "b",
  i64: "BigInt.asIntN(64, b)",
  u64: "BigInt.asUintN(64, b)",
};

/** The element that the value `b` makes of `a`; the stored one wraps around, or is rounded. */
function resultCode(op: ReduceOp, type: Scalar): string {
  const isBig = hasBigints(type);
  switch (op) {
    case "sum":
      return "a + b";
    case "prod":
      // a product of 32-bit factors has more bits than a double
      return isBig || type.name.startsWith("f") ? "a * b" : "Math.imul(a, b)";
    case "min":
      return isBig ? "(a < b ? a : b)" : "Math.min(a, b)";
    case "max":
      return isBig ? "(a > b ? a : b)" : "Math.max(a, b)";
    case "and":
      return "a & b";
    case "or":
      return "a | b";
    case "xor":
      return "a ^ b";
  }
}

/** @param op null: the value is stored @returns null for an operator that elements of the type have not */
export function effectOf(op: ReduceOp | null, type: Scalar): Effect | null {
  if (op !== null && !opsOf(type.name).includes(op)) return null;
  const source = `"use strict";
    return function effect(elements, place, from) {
      const { views } = from;
      const at = (from.at + ${type.align - 1}) & ${-type.align};
      from.at = at + ${type.bytes};
      const b = views.${element(type, "at")};
      ${op === null ? "" : "const a = elements[place];"}
      elements[place] = ${op === null ? "b" : resultCode(op, type)};
    };`;
  return generate(`containers/${op ?? "set"}/${type.name}`, source, {}) as Effect;
}

/** @returns null for an operator that elements of the type have not */
export function ownEffectOf(op: ReduceOp, type: Scalar): OwnEffect | null {
  if (!opsOf(type.name).includes(op)) return null;
  const source = `"use strict";
    return function effect(elements, place, b) {
      if (typeof b !== "${hasBigints(type) ? "bigint" : "number"}") return false;
      b = ${AS_WRITTEN[type.name]};
      const a = elements[place];
      elements[place] = ${resultCode(op, type)};
      return true;
    };`;
  return generate(`containers/own/${op}/${type.name}`, source, {}) as OwnEffect;
}

const hasBigints = ({ name }: Scalar): boolean => name === "i64" || name === "u64";

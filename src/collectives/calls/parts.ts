/** The operand of a reduceScatter: elements for each PE, from an array or a list. */
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { ARRAYS, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import { combineNumbers } from "../../ground/memory/kernels/scalar.ts";
import { checkParts, isClamped } from "../node/exposed-values.ts";
import { resultArray } from "../node/result-array.ts";
import type { Op, Payload } from "../team/payload.ts";
import type { Team } from "../team/team.ts";
import type { ElementOps } from "./element-ops.ts";
import { checkPairs, type ElementArray, elementsOf, type Located, numberElement } from "./elements.ts";
import { checkInto } from "./into.ts";

/** Operands of reduceScatter: an array that is cut into equal blocks, or a list with an entry for each PE. */
export type Scatterable = TypedArray | readonly number[] | readonly bigint[] | readonly Located[];

/** The blocks of all PEs, one after the other. */
export interface ScatterParts extends ElementArray {
  readonly reducer: Reducer;
  /** The op over arrays of this type, where a named one of numbers is a function. */
  readonly op: Op;
  /** An array for one block: that of the user, or a new one. */
  make(): TypedArray;
  /** The result of the PE for its block. */
  resultOf(block: TypedArray): unknown;
}

/** @param size of the group @throws UsageError unless x has a block for each PE, and the op fits it */
export function partsOf(
  team: Team,
  ops: ElementOps,
  x: Scatterable,
  op: Op,
  size: number,
  into: TypedArray | undefined,
): ScatterParts {
  const { payload } = team;
  checkParts("reduceScatter: expected", x, size);
  if (Array.isArray(x)) {
    checkInto(team, into, x);
    return listed(elementsOfList(payload, x), ops, op);
  }
  const { array, type, kind } = elementsOf(payload, x as TypedArray);
  const length = array.length / size;
  checkPairs(op, kind, length);
  checkInto(team, into, x, length);
  const make = () => resultArray(team, type, isClamped(array), array.byteLength / size, into) as TypedArray;
  return { array, type, kind, op, reducer: ops.of(op, type), make, resultOf: (block) => block };
}

/** Entries of one kind, as elements one after the other. */
function elementsOfList(payload: Payload, list: readonly (number | bigint | Located)[]): ElementArray {
  // unlike map(), from() visits the holes of a list
  const entries = Array.from(list, (entry) =>
    typeof entry === "number" ? numberElement(entry) : elementsOf(payload, entry),
  );
  const { type, kind, array } = entries[0] as ElementArray;
  const other = entries.findIndex((entry) => entry.kind !== kind || entry.kind === entry.type);
  if (other >= 0) {
    throw new UsageError(
      "reduceScatter: expected a list of numbers, of bigints or of { value, index }, got " +
        `${shortText(list[other])} as entry ${other}. Put typed arrays one after the other into one.`,
    );
  }
  const all = new ARRAYS[type](array.length * list.length);
  for (const [i, entry] of entries.entries()) all.set(entry.array as Float64Array & BigInt64Array, i * array.length);
  return { array: all, type, kind };
}

function listed({ array, type, kind }: ElementArray, ops: ElementOps, op: Op): ScatterParts {
  const isNumber = kind === "number";
  checkPairs(op, kind, 2);
  return {
    array,
    type,
    kind,
    // of numbers there are also bitwise ops, which elements of f64 do not have
    op: isNumber && typeof op === "string" ? combineNumbers(op) : op,
    reducer: isNumber ? ops.lifted(op) : ops.of(op, type),
    make: () => new ARRAYS[type](kind === "pair" ? 2 : 1),
    resultOf: (block) => (kind === "pair" ? { value: block[0], index: block[1] } : block[0]),
  };
}

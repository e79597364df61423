/** The option `into` of the collectives that return arrays: an array of the user's for the result, the receive buffer of MPI. */
import { UsageError } from "../../base/errors.ts";
import { shortText } from "../../base/short-text.ts";
import type { TypedArray } from "../../memory/kernels/elements.ts";
import { isTypedArray, type Value } from "../node/exposed-values.ts";
import type { Team } from "../team/team.ts";
import { checkOwn } from "./operands.ts";

/** One array, or of alltoallv also one for each PE. */
export type Into = TypedArray | readonly TypedArray[];

/**
 * Checks that a PE can have its result there.
 * @param x what it gives; undefined where it need give nothing
 * @param length elements of the result, if they are known before the call
 * @throws UsageError
 */
export function checkInto(team: Team, into: TypedArray | undefined, x: Value, length?: number): void {
  if (into === undefined) return;
  const type = isTypedArray(x) ? x[Symbol.toStringTag] : undefined;
  if (x !== undefined && type === undefined) {
    throw new UsageError(
      `into: expected none, as the result is no array: x is ${shortText(x)}. Pass a typed array as x, or leave \`into\` out.`,
    );
  }
  if (!isTypedArray(into) || (type !== undefined && into[Symbol.toStringTag] !== type)) {
    throw new UsageError(`into: expected a ${type ?? "typed array"} for the result, got ${shortText(into)}`);
  }
  team.payload.check(into);
  if (team.payload.hasShared) checkOwn(team, into);
  if (length !== undefined && into.length < length) {
    throw new UsageError(
      `into: expected at least ${length} elements for the result, got ${into.length}. Make it longer.`,
    );
  }
  if (isTypedArray(x)) checkApart(into, x);
}

/** @throws UsageError if they have bytes in common */
function checkApart(into: TypedArray, x: TypedArray): void {
  if (into.buffer !== x.buffer) return;
  if (into.byteOffset + into.byteLength <= x.byteOffset || x.byteOffset + x.byteLength <= into.byteOffset)
    return;
  throw new UsageError(
    "into: expected memory of its own, got some that x has, too, which the other PEs still read.",
  );
}

/** As {@link checkInto}, of alltoallv: one array for all parts, or one for each. */
export function checkIntoParts(team: Team, into: Into | undefined, parts: readonly TypedArray[]): void {
  if (into === undefined) return;
  const list = Array.isArray(into) ? Array.from(into as readonly TypedArray[]) : [into as TypedArray];
  if (Array.isArray(into) && list.length !== parts.length) {
    throw new UsageError(
      `into: expected one array, or a list of ${parts.length}, got a list of ${list.length}`,
    );
  }
  for (const one of list) {
    checkInto(team, one ?? null, parts[0]);
    for (const part of parts) checkApart(one, part);
  }
  for (const [i, one] of list.entries()) for (const other of list.slice(0, i)) checkApart(one, other);
}

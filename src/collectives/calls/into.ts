/** The option `into` of collectives that return arrays: the user's array for the result, MPI's receive buffer. */
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { isTypedArray, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Value } from "../node/exposed-values.ts";
import { type Into, isList } from "../node/result-array.ts";
import type { Team } from "../team/team.ts";
import { checkOwn } from "./operands.ts";

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
  if (isTypedArray(x) && overlap(into, x)) refuseOverlap();
}

/**
 * As {@link checkInto}, of a call that may also have an array for each PE.
 * @param size of the group
 * @param xs what it gives; of alltoallv an array for each PE, all of one type
 */
export function checkIntoParts(
  team: Team,
  size: number,
  into: Into | undefined,
  xs: readonly Value[],
  length?: number,
): void {
  if (into === undefined) return;
  if (!isList(into)) {
    checkInto(team, into, xs[0], length);
    for (let i = 1; i < xs.length; i++) if (overlap(into, xs[i] as TypedArray)) refuseOverlap();
    return;
  }
  if (into.length !== size) {
    throw new UsageError(`into: expected one array, or a list of ${size}, got a list of ${into.length}`);
  }
  // a hole is not the lack of `into`
  const each = length === undefined ? undefined : length / size;
  for (const one of Array.from(into)) checkInto(team, one ?? null, xs[0], each);
  checkApart(into, xs.filter(isTypedArray));
}

/** Whether they have bytes in common. */
const overlap = (a: TypedArray, b: TypedArray): boolean =>
  a.buffer === b.buffer && a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength;

function refuseOverlap(): never {
  throw new UsageError(
    "into: expected memory of its own, got some that x has, too, which the other PEs still read, or that another part of the result has.",
  );
}

/** @throws UsageError if arrays for results share bytes with each other, or with what is given. Takes a sort. */
function checkApart(intos: readonly TypedArray[], given: readonly TypedArray[]): void {
  const all = [...intos, ...given];
  const order = [...all.keys()].sort((i, j) => all[i].byteOffset - all[j].byteOffset);
  /** By memory: where the results end that were seen, and where anything does. */
  const ends = new Map<ArrayBufferLike, [results: number, any: number]>();
  for (const i of order) {
    const { buffer, byteOffset, byteLength } = all[i];
    const [results, any] = ends.get(buffer) ?? [0, 0];
    const isResult = i < intos.length;
    if (byteLength > 0 && byteOffset < (isResult ? any : results)) refuseOverlap();
    const end = byteOffset + byteLength;
    ends.set(buffer, [isResult ? Math.max(results, end) : results, Math.max(any, end)]);
  }
}

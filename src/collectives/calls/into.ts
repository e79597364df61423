/** The option `into` of collectives that return arrays: the user's array for the result, MPI's receive buffer. */
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { isTypedArray, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Value } from "../node/exposed-values.ts";
import { type Into, isList } from "../node/result-array.ts";
import type { Team } from "../team/team.ts";
import type { CallOptions } from "./call.ts";
import { checkOwn } from "./operands.ts";

/** Options of a call that returns arrays. */
export interface ResultOptions<T> extends CallOptions {
  /**
   * An array of the result's type for the result, as the receive buffer of MPI; in a program's loop it saves a new one
   * each time. A longer one is filled from its beginning, and a view of that is returned. Of gather, allgather,
   * alltoall and alltoallv also a list with an array for each PE: its part is there, and a list of views is returned.
   * They have no bytes in common with x and each other, and belong to this PE alone. A call that fails may change them.
   *
   * Of gather and allgather also one array of `allocShared` that all PEs give: on each node there is then one result,
   * to which each PE copies its part, once (x may be this PE's place in it). Equal parts of all PEs fill it. It may be
   * read until the PE's next call of this kind. So two such arrays in turn are best: a PE copies to one while another
   * reads the other.
   * @default a new array
   */
  readonly into?: T | undefined;
}

/** {@link ResultOptions} with an array for the part of each PE. */
export type PartsOptions<T> = ResultOptions<readonly T[]> & { readonly into: readonly T[] };

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

/**
 * The array for the result of a gather or allgather that all PEs on this node share; null if `into` is none.
 * @param size of the group @throws UsageError unless x is a part of it
 */
export function sharedByAll(
  { payload, here }: Team,
  size: number,
  into: Into | undefined,
  x: Value,
): TypedArray | null {
  if (!payload.hasShared || into === undefined || isList(into)) return null;
  const sharers = payload.sharersOf(into);
  if (sharers === undefined || !here.every((one) => sharers.includes(one))) return null;
  if (!isTypedArray(x) || x[Symbol.toStringTag] !== into[Symbol.toStringTag] || x.length * size !== into.length) {
    if (here.length === 1) return null; // in this group the array is the PE's own
    throw new UsageError(
      `into: expected a shared array that equal parts of all ${size} PEs fill, got a ${into[Symbol.toStringTag]} of ` +
        `${into.length} for ${isTypedArray(x) ? `a ${x[Symbol.toStringTag]} of ${x.length}` : shortText(x)} of this PE.`,
    );
  }
  payload.check(into);
  return into;
}

/** @throws UsageError if x has bytes of the shared array that are not this PE's place */
export function checkPlace(rank: number, into: TypedArray, x: TypedArray): void {
  if (overlap(into, x) && x.byteOffset !== into.byteOffset + rank * x.byteLength) refuseOverlap();
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

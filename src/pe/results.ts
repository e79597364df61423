/** The types of what collectives return. */
import type { OpFor } from "../collectives/calls/elements.ts";
import type { TypedArray } from "../ground/memory/kernels/elements.ts";

/** The result of a gather: typed arrays concatenated in order of rank, other values as a list. */
export type Gathered<T> =
  | Extract<T, TypedArray>
  | ([Exclude<T, TypedArray>] extends [never] ? never : Exclude<T, TypedArray>[]);

/** The result of an alltoall: an array of the same type, or a list of what the other PEs' lists have. */
export type Exchanged<T> = T extends TypedArray ? T : T extends readonly (infer Part)[] ? Part[] : never;

/** A PE's part of a scatter: an array of the same type, or one entry of a list. */
export type Scattered<T> = T extends TypedArray ? T : T extends readonly (infer Part)[] ? Part : never;

/** The ops for the parts of x: as {@link OpFor} for one of them. */
export type OpForParts<T> = OpFor<T extends readonly (infer Part)[] ? Part : T>;

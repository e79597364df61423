/** Reductions: the part of a group that combines what all its PEs have. */

import type { Call, CallOptions, ResultOptions } from "../collectives/calls/call.ts";
import type { Operand, OpFor, Reduced } from "../collectives/calls/elements.ts";
import type { Scatterable } from "../collectives/calls/parts.ts";
import type { Collectives } from "../collectives/collectives.ts";
import type { Op } from "../collectives/team/payload.ts";
import type { AppendSeat } from "../facilities/append/seat.ts";
import type { ConveyorContext } from "../facilities/conveyor/front/make.ts";
import type { PairSeat } from "../facilities/messages/seat.ts";
import type { TypedArray } from "../ground/memory/kernels/elements.ts";
import { Arrays } from "./arrays.ts";

/** A PE's part of a scatter: an array of the same type, or one entry of a list. */
export type Scattered<T> = T extends TypedArray ? T : T extends readonly (infer Part)[] ? Part : never;

/** The ops for the parts of x: as {@link OpFor} for one of them. */
export type OpForParts<T> = OpFor<T extends readonly (infer Part)[] ? Part : T>;

/** PEs that combine what they have. */
export abstract class Reductions extends Arrays {
  readonly #collectives: Collectives;

  /** @internal */
  protected constructor(
    context: ConveyorContext,
    collectives: Collectives,
    appends: AppendSeat,
    pairs: PairSeat,
  ) {
    super(context, collectives, appends, pairs);
    this.#collectives = collectives;
  }

  /**
   * Combines the x of all PEs and returns the result at the root (an array in place). The other PEs get undefined, and
   * their arrays are unchanged.
   *
   * The op must be associative and commutative. A function must be the same at every PE (this cannot be checked), must
   * return an element, and must call no collective of this group. The order in which it is applied depends on the
   * trees, the length, the root and whether the arrays are from {@link alloc}, so equal runs give equal bits
   * (tree-reduce.ts, exchange.ts, scatter-reduce.ts).
   *
   * Of a value and where it is, `minloc` gives the smallest value of all PEs and `maxloc` the largest, with its index; of
   * equal values the one with the smallest index. A NaN is taken before all other values, and -0 counts as smaller than
   * 0. In a typed array with an even number of elements these ops take pairs: value, index, value, index, …
   */
  reduce<T extends Operand>(x: T, op: OpFor<T>, root?: number, options?: CallOptions): Reduced<T> | undefined;
  reduce(x: Operand, op: Op, root = 0, options?: CallOptions): Operand | undefined {
    if (typeof x === "number" && options === undefined) return this.#collectives.reduceNumber(x, op, root);
    return this.#collectives.reduce(x, op, root, options);
  }

  /** As {@link reduce}, without blocking. */
  reduceAsync<T extends Operand>(
    x: T,
    op: OpFor<T>,
    root?: number,
    options?: CallOptions,
  ): Promise<Reduced<T> | undefined>;
  reduceAsync(x: Operand, op: Op, root = 0, options?: CallOptions): Promise<Operand | undefined> {
    const { backend } = this.#collectives;
    return this.#collectives.later(() => backend.reduce(x, op, root, options?.algorithm), options);
  }

  /**
   * Combines the x of all PEs and returns the result at every PE: a number, a bigint, a value with its index, or the
   * array itself, which is filled in place, elementwise. All PEs get the same bits, but those of a NaN may differ.
   *
   * The op is `"sum"`, `"prod"`, `"min"` or `"max"`; for integers and numbers also `"and"`, `"or"` or `"xor"`, bit by bit;
   * for a value with its index, or an array of such pairs, `"minloc"` or `"maxloc"`; or a function of two elements that
   * returns one, the same at every PE. It must be associative and commutative. More of ops: {@link reduce}.
   */
  allreduce<T extends Operand>(x: T, op: OpFor<T>, options?: CallOptions): Reduced<T>;
  allreduce(x: Operand, op: Op, options?: CallOptions): Operand {
    if (typeof x === "number" && options === undefined) return this.#collectives.allreduceNumber(x, op);
    return this.#collectives.allreduce(x, op, options);
  }

  /** As {@link allreduce}, without blocking. */
  allreduceAsync<T extends Operand>(x: T, op: OpFor<T>, options?: CallOptions): Promise<Reduced<T>>;
  allreduceAsync(x: Operand, op: Op, options?: CallOptions): Promise<Operand> {
    const { backend } = this.#collectives;
    return this.#collectives.later(() => backend.allreduce(x, op, options?.algorithm), options);
  }

  /**
   * Combines the x of all PEs and returns part i of the result at PE i. A typed array whose length is a multiple of
   * `size` is divided into `size` new arrays; a list of `size` numbers, bigints or values with their index gives one to
   * each PE. Each x is unchanged. A call with an empty array does not wait.
   *
   * PE i starts with its own elements, then takes those of PE i + 1, …, cyclically (reduce-scatter.ts), so equal runs
   * give equal bits. Sums of floating-point numbers may differ from those of {@link allreduce} in their last bits.
   */
  reduceScatter<T extends Scatterable>(
    x: T,
    op: OpForParts<T>,
    options?: ResultOptions<Extract<T, TypedArray>>,
  ): Scattered<T> {
    const { backend } = this.#collectives;
    return this.#collectives.run(backend.reduceScatter(x, op, options?.into), options) as Scattered<T>;
  }

  /** As {@link reduceScatter}, without blocking. */
  reduceScatterAsync<T extends Scatterable>(
    x: T,
    op: OpForParts<T>,
    options?: ResultOptions<Extract<T, TypedArray>>,
  ): Promise<Scattered<T>> {
    const { backend } = this.#collectives;
    return this.#collectives.later(
      () => backend.reduceScatter(x, op, options?.into) as Call<Scattered<T>>,
      options,
    );
  }

  /**
   * Combines the x of all PEs up to and including this one, in order of rank, exactly as a loop over the ranks would;
   * arrays in place. A call with an empty array does not wait.
   */
  scan<T extends Operand>(x: T, op: OpFor<T>, options?: CallOptions): Reduced<T>;
  scan(x: Operand, op: Op, options?: CallOptions): Operand {
    const { backend } = this.#collectives;
    return this.#collectives.run(backend.scan(x, op, true), options) as Operand;
  }

  /** As {@link scan}, without blocking. */
  scanAsync<T extends Operand>(x: T, op: OpFor<T>, options?: CallOptions): Promise<Reduced<T>>;
  scanAsync(x: Operand, op: Op, options?: CallOptions): Promise<Operand> {
    const { backend } = this.#collectives;
    return this.#collectives.later(() => backend.scan(x, op, true) as Call<Operand>, options);
  }

  /** As {@link scan}, without this PE's own x: PE 0 gets undefined, and its array is unchanged. */
  exscan<T extends Operand>(x: T, op: OpFor<T>, options?: CallOptions): Reduced<T> | undefined;
  exscan(x: Operand, op: Op, options?: CallOptions): Operand | undefined {
    const { backend } = this.#collectives;
    return this.#collectives.run(backend.scan(x, op, false), options);
  }

  /** As {@link exscan}, without blocking. */
  exscanAsync<T extends Operand>(x: T, op: OpFor<T>, options?: CallOptions): Promise<Reduced<T> | undefined>;
  exscanAsync(x: Operand, op: Op, options?: CallOptions): Promise<Operand | undefined> {
    const { backend } = this.#collectives;
    return this.#collectives.later(() => backend.scan(x, op, false), options);
  }
}

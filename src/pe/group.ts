/** A group: PEs that call collectives together. The world is a group; any subset of it can be one. */

import type { AppendSeat } from "../append/seat.ts";
import { UsageError } from "../base/errors.ts";
import { shortText } from "../base/short-text.ts";
import type { CollectivesBackend } from "../collectives/calls/backend.ts";
import type { Call, CallOptions } from "../collectives/calls/call.ts";
import type { OpFor, Reduced, Reducible } from "../collectives/calls/elements.ts";
import type { Collectives } from "../collectives/collectives.ts";
import type { ConveyorContext } from "../conveyor/front/make.ts";
import type { TypedArray } from "../memory/kernels/elements.ts";
import type { PairSeat } from "../point-to-point/seat.ts";
import { OrderedBroadcasts } from "./ordered-makers.ts";

/** Constructor of a typed array over given bytes: any of the typed array constructors. */
export interface TypedArrayConstructor<T extends TypedArray> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: SharedArrayBuffer, byteOffset: number, length: number): T;
}

/** The result of a gather: typed arrays concatenated in order of rank, other values as a list. */
export type Gathered<T> =
  | Extract<T, TypedArray>
  | ([Exclude<T, TypedArray>] extends [never] ? never : Exclude<T, TypedArray>[]);

/** A PE's part of a scatter: an array of the same type, or one entry of a list. */
export type Scattered<T> = T extends TypedArray ? T : T extends readonly (infer Part)[] ? Part : never;

/** The result of an alltoall: an array of the same type, or a list of what the other PEs' lists have. */
export type Exchanged<T> = T extends TypedArray ? T : T extends readonly (infer Part)[] ? Part[] : never;

/**
 * The collectives of a group, for one of its PEs.
 *
 * All PEs of the group must make the same calls in the same order, with the same op, type, length and root. Otherwise
 * all get the same MismatchError. The plain forms block the thread, including its event loop. Each has a non-blocking
 * form whose name ends in Async, also for the main thread. When a call cannot succeed any more, it throws the error
 * that ended its wait (RankLostError, TimeoutError, AbortedError), and so does every later call: a failed world stays
 * failed.
 *
 * An array given to an Async form must not be used until its promise is settled.
 *
 * `x` is a number, a bigint of 64 bits, or a typed array (in place, elementwise). Where the text says value, it is
 * anything that v8.serialize can clone.
 */
export class Group extends OrderedBroadcasts {
  /** This PE's rank in the group, 0 to `size` - 1. */
  readonly rank: number;
  /** Number of PEs in the group. */
  readonly size: number;
  /** The ranks of the group's PEs in the world, by rank in the group. */
  readonly ranks: readonly number[];
  readonly #collectives: Collectives;
  readonly #backend: CollectivesBackend;
  readonly #allocated = new WeakMap<TypedArray, number>();
  readonly #onLeave: () => void;

  /** @internal */
  constructor(
    collectives: Collectives,
    ranks: readonly number[],
    context: ConveyorContext,
    appends: AppendSeat,
    pairs: PairSeat,
    onLeave: () => void = () => {},
  ) {
    super(context, collectives, appends, pairs);
    this.rank = collectives.backend.rank;
    this.size = collectives.backend.size;
    this.ranks = ranks;
    this.#collectives = collectives;
    this.#backend = collectives.backend;
    this.#onLeave = onLeave;
  }

  protected override checkOpen(): void {
    this.#collectives.check();
  }

  /** The algorithm of each collective and the reason for it, one line each. */
  explain(): string {
    return this.#collectives.explain();
  }

  /** Blocks until every PE has called it. */
  barrier(options?: CallOptions): void {
    if (options === undefined) this.#collectives.barrier();
    else this.#collectives.run(this.#backend.barrier(), options);
  }

  /** As {@link barrier}, without blocking. */
  barrierAsync(options?: CallOptions): Promise<void> {
    return this.#later(() => this.#backend.barrier(), options);
  }

  /**
   * Returns the root's x at every PE. A number, a bigint or a value is returned; a typed array is filled in place and
   * returned. Only the root's x counts. The other PEs pass one of the same kind: any number, any bigint, an array of
   * the same type and length; instead of a value they may pass undefined.
   */
  broadcast(x: number, root?: number, options?: CallOptions): number;
  broadcast(x: bigint, root?: number, options?: CallOptions): bigint;
  broadcast<T>(x: T | undefined, root?: number, options?: CallOptions): T;
  broadcast<T>(x: T, root = 0, options?: CallOptions): T {
    if (typeof x === "number" && options === undefined) {
      return this.#collectives.broadcastNumber(x, root) as T;
    }
    return this.#collectives.broadcast(x, root, options);
  }

  /** As {@link broadcast}, without blocking. */
  broadcastAsync<T>(x: T | undefined, root = 0, options?: CallOptions): Promise<T> {
    return this.#later(() => this.#backend.broadcast(x as T, root, options?.algorithm), options);
  }

  /**
   * Combines the x of all PEs and returns the result at the root (an array in place). The other PEs get undefined, and
   * their arrays are unchanged.
   *
   * The op must be associative and commutative. A function must be the same at every PE (this cannot be checked), must
   * return an element, and must call no collective of this group. The order in which it is applied depends on the
   * trees, the length, the root and whether the arrays are from {@link alloc}, so equal runs give equal bits
   * (tree-reduce.ts, exchange.ts, scatter-reduce.ts).
   */
  reduce<T extends Reducible>(x: T, op: OpFor<T>, root = 0, options?: CallOptions): Reduced<T> | undefined {
    if (typeof x === "number" && options === undefined) {
      return this.#collectives.reduceNumber(x, op, root) as Reduced<T> | undefined;
    }
    return this.#collectives.reduce(x, op, root, options) as Reduced<T> | undefined;
  }

  /** As {@link reduce}, without blocking. */
  reduceAsync<T extends Reducible>(
    x: T,
    op: OpFor<T>,
    root = 0,
    options?: CallOptions,
  ): Promise<Reduced<T> | undefined> {
    const call = () => this.#backend.reduce(x, op, root, options?.algorithm);
    return this.#later(call as () => Call<Reduced<T> | undefined>, options);
  }

  /**
   * As {@link reduce}, with the result at every PE, the same bits everywhere; arrays in place. A NaN is a NaN at every
   * PE, but its bits may differ.
   */
  allreduce<T extends Reducible>(x: T, op: OpFor<T>, options?: CallOptions): Reduced<T> {
    if (typeof x === "number" && options === undefined) {
      return this.#collectives.allreduceNumber(x, op) as Reduced<T>;
    }
    return this.#collectives.allreduce(x, op, options) as Reduced<T>;
  }

  /** As {@link allreduce}, without blocking. */
  allreduceAsync<T extends Reducible>(x: T, op: OpFor<T>, options?: CallOptions): Promise<Reduced<T>> {
    const call = () => this.#backend.allreduce(x, op, options?.algorithm);
    return this.#later(call as () => Call<Reduced<T>>, options);
  }

  /**
   * Combines the x of all PEs up to and including this one, in order of rank, exactly as a loop over the ranks would;
   * arrays in place. A call with an empty array does not wait.
   */
  scan<T extends Reducible>(x: T, op: OpFor<T>, options?: CallOptions): Reduced<T> {
    return this.#collectives.run(this.#backend.scan(x, op, true), options) as Reduced<T>;
  }

  /** As {@link scan}, without blocking. */
  scanAsync<T extends Reducible>(x: T, op: OpFor<T>, options?: CallOptions): Promise<Reduced<T>> {
    return this.#later(() => this.#backend.scan(x, op, true) as Call<Reduced<T>>, options);
  }

  /** As {@link scan}, without this PE's own x: PE 0 gets undefined, and its array is unchanged. */
  exscan<T extends Reducible>(x: T, op: OpFor<T>, options?: CallOptions): Reduced<T> | undefined {
    return this.#collectives.run(this.#backend.scan(x, op, false), options) as Reduced<T> | undefined;
  }

  /** As {@link exscan}, without blocking. */
  exscanAsync<T extends Reducible>(
    x: T,
    op: OpFor<T>,
    options?: CallOptions,
  ): Promise<Reduced<T> | undefined> {
    type Result = Reduced<T> | undefined;
    return this.#later(() => this.#backend.scan(x, op, false) as Call<Result>, options);
  }

  /**
   * Returns the x of all PEs in order of rank, at the root: typed arrays (of any lengths) concatenated, other values as
   * a list. The other PEs get undefined.
   */
  gather<T>(x: T, root = 0, options?: CallOptions): Gathered<T> | undefined {
    return this.#collectives.run(this.#backend.gather(x, root), options) as Gathered<T> | undefined;
  }

  /** As {@link gather}, without blocking. */
  gatherAsync<T>(x: T, root = 0, options?: CallOptions): Promise<Gathered<T> | undefined> {
    type Result = Gathered<T> | undefined;
    return this.#later(() => this.#backend.gather(x, root) as Call<Result>, options);
  }

  /** As {@link gather}, with the result at every PE. */
  allgather<T>(x: T, options?: CallOptions): Gathered<T> {
    return this.#collectives.run(this.#backend.allgather(x), options) as Gathered<T>;
  }

  /** As {@link allgather}, without blocking. */
  allgatherAsync<T>(x: T, options?: CallOptions): Promise<Gathered<T>> {
    return this.#later(() => this.#backend.allgather(x) as Call<Gathered<T>>, options);
  }

  /**
   * Returns part i of the root's x at PE i. A typed array whose length is a multiple of `size` is divided into `size`
   * new arrays; a list of `size` values gives one value to each PE. Only the root's x counts.
   */
  scatter<T>(x: T, root = 0, options?: CallOptions): Scattered<T> {
    return this.#collectives.run(this.#backend.scatter(x, root), options) as Scattered<T>;
  }

  /** As {@link scatter}, without blocking. */
  scatterAsync<T>(x: T, root = 0, options?: CallOptions): Promise<Scattered<T>> {
    return this.#later(() => this.#backend.scatter(x, root) as Call<Scattered<T>>, options);
  }

  /**
   * Returns part j of each PE's x at PE j, in order of rank. x is a typed array whose length is a multiple of `size`,
   * or a list of `size` values (a hole is undefined). The result is of the same kind.
   */
  alltoall<T extends TypedArray | readonly unknown[]>(x: T, options?: CallOptions): Exchanged<T> {
    return this.#collectives.run(this.#backend.alltoall(x), options) as Exchanged<T>;
  }

  /** As {@link alltoall}, without blocking. */
  alltoallAsync<T extends TypedArray | readonly unknown[]>(
    x: T,
    options?: CallOptions,
  ): Promise<Exchanged<T>> {
    return this.#later(() => this.#backend.alltoall(x) as Call<Exchanged<T>>, options);
  }

  /**
   * As {@link alltoall}, with typed arrays of one type and any lengths: `parts[j]` is sent to PE j; entry i of the
   * result is from PE i.
   */
  alltoallv<T extends TypedArray>(parts: readonly T[], options?: CallOptions): T[] {
    return this.#collectives.run(this.#backend.alltoallv(parts), options) as T[];
  }

  /** As {@link alltoallv}, without blocking. */
  alltoallvAsync<T extends TypedArray>(parts: readonly T[], options?: CallOptions): Promise<T[]> {
    return this.#later(() => this.#backend.alltoallv(parts) as Call<T[]>, options);
  }

  /**
   * Allocates a zeroed typed array in the node's shared heap at each PE. Collectives on such arrays save a copy.
   * Collective: all PEs request the same number of bytes. Aligned to 128 bytes.
   * @throws HeapError at every PE if the heap is full; the world continues
   */
  alloc<T extends TypedArray>(type: TypedArrayConstructor<T>, length: number): T {
    const stride = strideOf(type, length);
    return this.#place(type, length, stride, this.#collectives.run(this.#backend.alloc(stride), undefined));
  }

  /** As {@link alloc}, without blocking. */
  async allocAsync<T extends TypedArray>(type: TypedArrayConstructor<T>, length: number): Promise<T> {
    const stride = strideOf(type, length);
    const call = this.#backend.alloc(stride);
    return this.#place(type, length, stride, await this.#collectives.runAsync(call, undefined));
  }

  /**
   * Frees the arrays that one {@link alloc} call returned at all PEs. Collective. Later collectives of this PE reject
   * the array. They cannot recognise other views of the same memory; do not use those any more.
   */
  free(array: TypedArray): void {
    const offset = this.#forget(array);
    try {
      this.#collectives.run(this.#backend.free(offset), undefined);
    } catch (error) {
      this.#recall(array, offset, error);
      throw error;
    }
  }

  /** As {@link free}, without blocking. */
  async freeAsync(array: TypedArray): Promise<void> {
    const offset = this.#forget(array);
    try {
      await this.#collectives.runAsync(this.#backend.free(offset), undefined);
    } catch (error) {
      this.#recall(array, offset, error);
      throw error;
    }
  }

  /**
   * Leaves the group: this PE makes no more calls in it. It does not wait. The heap gets the group's memory back when
   * all its PEs have left. Arrays of {@link alloc} are not freed; free them before. `using` calls it. A second call has
   * no effect. A PE that still waits for this PE in the group gets a MismatchError.
   * @throws UsageError while an Async call of the group is pending at this PE
   */
  leave(): void {
    this.#collectives.leave();
    this.#onLeave();
  }

  /** As {@link leave}. */
  [Symbol.dispose](): void {
    this.leave();
  }

  /** Makes an invalid call reject its promise instead of throwing. */
  async #later<T>(call: () => Call<T>, options: CallOptions | undefined): Promise<T> {
    return this.#collectives.runAsync(call(), options);
  }

  #place<T extends TypedArray>(
    type: TypedArrayConstructor<T>,
    length: number,
    stride: number,
    offset: number,
  ): T {
    const array = new type(
      this.#collectives.team.heap.buffer,
      offset + this.#collectives.team.rank * stride,
      length,
    );
    this.#allocated.set(array, offset);
    return array;
  }

  #forget(array: TypedArray): number {
    const offset = this.#allocated.get(array);
    if (offset === undefined) {
      throw new UsageError(
        "free: expected an array that alloc() of this group returned to this PE and that is not freed yet, " +
          `got ${ArrayBuffer.isView(array) ? "another array" : shortText(array)}.`,
      );
    }
    this.#allocated.delete(array);
    this.#collectives.team.payload.giveBack(array);
    return offset;
  }

  /** If the free was refused, the array stays allocated. */
  #recall(array: TypedArray, offset: number, error: unknown): void {
    if (!(error instanceof UsageError)) return;
    this.#allocated.set(array, offset);
    this.#collectives.team.payload.keep(array);
  }
}

/** Bytes between the arrays of consecutive PEs. */
function strideOf(type: TypedArrayConstructor<TypedArray>, length: number): number {
  const size: unknown = typeof type === "function" ? type.BYTES_PER_ELEMENT : undefined;
  if (typeof size !== "number") {
    throw new UsageError(
      `alloc: expected the constructor of a typed array (Float64Array, …), got ${shortText(type)}`,
    );
  }
  if (!(Number.isInteger(length) && length >= 0)) {
    throw new UsageError(`alloc: expected a whole number of elements >= 0, got ${shortText(length)}`);
  }
  return Math.max(1, Math.ceil((length * size) / 128)) * 128;
}

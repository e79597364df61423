/** A group: PEs that call collectives together. The world is a group; any subset of it can be one. */

import type { CollectivesBackend } from "../collectives/calls/backend.ts";
import type { Call, CallOptions, PartsOptions, ResultOptions } from "../collectives/calls/call.ts";
import type { Collectives } from "../collectives/collectives.ts";
import type { Into } from "../collectives/node/result-array.ts";
import type { AppendSeat } from "../facilities/append/seat.ts";
import type { ConveyorContext } from "../facilities/conveyor/front/make.ts";
import type { PairSeat } from "../facilities/messages/seat.ts";
import type { TypedArray } from "../ground/memory/kernels/elements.ts";
import { checkBlocking } from "../ground/wait/blocking.ts";
import { Reductions, type Scattered } from "./reductions.ts";
import { colourAndKey, ranksLike } from "./split.ts";

/** The result of a gather: typed arrays concatenated in order of rank, other values as a list. */
export type Gathered<T> =
  | Extract<T, TypedArray>
  | ([Exclude<T, TypedArray>] extends [never] ? never : Exclude<T, TypedArray>[]);

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
 * `x` is a number, a bigint of 64 bits, or a typed array (in place, elementwise); with `minloc` and `maxloc` it is a value
 * with its index, or a typed array of such pairs. Where the text says value, it is anything that v8.serialize can clone.
 */
export class Group extends Reductions {
  /** This PE's rank in the group, 0 to `size` - 1. */
  readonly rank: number;
  /** Number of PEs in the group. */
  readonly size: number;
  /** The ranks of the group's PEs in the world, by rank in the group. */
  readonly ranks: readonly number[];
  readonly #collectives: Collectives;
  readonly #backend: CollectivesBackend;
  readonly #makeGroup: (ranks: readonly number[]) => Group;
  readonly #onLeave: () => void;

  /** @internal @param makeGroup as {@link PE.group} */
  constructor(
    collectives: Collectives,
    ranks: readonly number[],
    context: ConveyorContext,
    appends: AppendSeat,
    pairs: PairSeat,
    makeGroup: (ranks: readonly number[]) => Group,
    onLeave: () => void = () => {},
  ) {
    super(context, collectives, appends, pairs);
    this.rank = collectives.backend.rank;
    this.size = collectives.backend.size;
    this.ranks = ranks;
    this.#collectives = collectives;
    this.#backend = collectives.backend;
    this.#makeGroup = makeGroup;
    this.#onLeave = onLeave;
  }

  /** @internal */
  override checkBlocking(call: string, instead: string): void {
    checkBlocking(this.#collectives.team.waiter, call, instead);
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
    return this.#collectives.later(() => this.#backend.barrier(), options);
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
    return this.#collectives.later(() => this.#backend.broadcast(x as T, root, options?.algorithm), options);
  }

  /** As {@link gather}, with the part of each PE in an array of its own. */
  gather<T extends TypedArray>(x: T, root: number, options: PartsOptions<T>): T[] | undefined;
  /**
   * Returns the x of all PEs in order of rank, at the root: typed arrays (of any lengths) concatenated, other values as
   * a list. The other PEs get undefined.
   */
  gather<T>(x: T, root?: number, options?: ResultOptions<Extract<T, TypedArray>>): Gathered<T> | undefined;
  gather(x: unknown, root = 0, options?: ResultOptions<Into>): unknown {
    return this.#collectives.run(this.#backend.gather(x, root, options?.into), options);
  }

  /** As {@link gatherAsync}, with the part of each PE in an array of its own. */
  gatherAsync<T extends TypedArray>(x: T, root: number, options: PartsOptions<T>): Promise<T[] | undefined>;
  /** As {@link gather}, without blocking. */
  gatherAsync<T>(
    x: T,
    root?: number,
    options?: ResultOptions<Extract<T, TypedArray>>,
  ): Promise<Gathered<T> | undefined>;
  gatherAsync(x: unknown, root = 0, options?: ResultOptions<Into>): Promise<unknown> {
    return this.#collectives.later(() => this.#backend.gather(x, root, options?.into), options);
  }

  /** As {@link allgather}, with the part of each PE in an array of its own. */
  allgather<T extends TypedArray>(x: T, options: PartsOptions<T>): T[];
  /** As {@link gather}, with the result at every PE. */
  allgather<T>(x: T, options?: ResultOptions<Extract<T, TypedArray>>): Gathered<T>;
  allgather(x: unknown, options?: ResultOptions<Into>): unknown {
    return this.#collectives.run(this.#backend.allgather(x, options?.into), options);
  }

  /** As {@link allgatherAsync}, with the part of each PE in an array of its own. */
  allgatherAsync<T extends TypedArray>(x: T, options: PartsOptions<T>): Promise<T[]>;
  /** As {@link allgather}, without blocking. */
  allgatherAsync<T>(x: T, options?: ResultOptions<Extract<T, TypedArray>>): Promise<Gathered<T>>;
  allgatherAsync(x: unknown, options?: ResultOptions<Into>): Promise<unknown> {
    return this.#collectives.later(() => this.#backend.allgather(x, options?.into), options);
  }

  /**
   * Returns part i of the root's x at PE i. A typed array whose length is a multiple of `size` is divided into `size`
   * new arrays; a list of `size` values gives one value to each PE. Only the root's x counts; the others may pass undefined or null.
   */
  scatter<T extends TypedArray | readonly unknown[] | null | undefined>(
    x: T,
    root = 0,
    options?: ResultOptions<Extract<T, TypedArray>>,
  ): Scattered<T> {
    return this.#collectives.run(this.#backend.scatter(x, root, options?.into), options) as Scattered<T>;
  }

  /** As {@link scatter}, without blocking. */
  scatterAsync<T extends TypedArray | readonly unknown[] | null | undefined>(
    x: T,
    root = 0,
    options?: ResultOptions<Extract<T, TypedArray>>,
  ): Promise<Scattered<T>> {
    return this.#collectives.later(
      () => this.#backend.scatter(x, root, options?.into) as Call<Scattered<T>>,
      options,
    );
  }

  /** As {@link alltoall}, with the part of each PE in an array of its own. */
  alltoall<T extends TypedArray>(x: T, options: PartsOptions<T>): T[];
  /**
   * Returns part j of each PE's x at PE j, in order of rank. x is a typed array whose length is a multiple of `size`,
   * or a list of `size` values (a hole is undefined). The result is of the same kind.
   */
  alltoall<T extends TypedArray | readonly unknown[]>(
    x: T,
    options?: ResultOptions<Extract<T, TypedArray>>,
  ): Exchanged<T>;
  alltoall(x: unknown, options?: ResultOptions<Into>): unknown {
    return this.#collectives.run(this.#backend.alltoall(x, options?.into), options);
  }

  /** As {@link alltoallAsync}, with the part of each PE in an array of its own. */
  alltoallAsync<T extends TypedArray>(x: T, options: PartsOptions<T>): Promise<T[]>;
  /** As {@link alltoall}, without blocking. */
  alltoallAsync<T extends TypedArray | readonly unknown[]>(
    x: T,
    options?: ResultOptions<Extract<T, TypedArray>>,
  ): Promise<Exchanged<T>>;
  alltoallAsync(x: unknown, options?: ResultOptions<Into>): Promise<unknown> {
    return this.#collectives.later(() => this.#backend.alltoall(x, options?.into), options);
  }

  /**
   * As {@link alltoall}, with typed arrays of one type and any lengths: `parts[j]` is sent to PE j; entry i of the
   * result is from PE i.
   */
  alltoallv<T extends TypedArray>(parts: readonly T[], options?: ResultOptions<T | readonly T[]>): T[] {
    return this.#collectives.run(this.#backend.alltoallv(parts, options?.into), options) as T[];
  }

  /** As {@link alltoallv}, without blocking. */
  alltoallvAsync<T extends TypedArray>(
    parts: readonly T[],
    options?: ResultOptions<T | readonly T[]>,
  ): Promise<T[]> {
    return this.#collectives.later(() => this.#backend.alltoallv(parts, options?.into) as Call<T[]>, options);
  }

  /**
   * Divides the group: the PEs with the same colour become a group, in the order of their keys, PEs with equal keys in
   * that of their ranks here (as MPI_Comm_split). A PE whose colour is undefined or null is in none, and gets null.
   * Collective: all PEs of this group call it. The groups are made as by {@link PE.group}, and each uses heap memory until
   * all its PEs have left it: `using row = pe.split(…)`, or {@link leave}.
   * @param colour a whole number
   * @param key a finite number. @default this PE's rank
   * @throws UsageError for another colour or key; what {@link PE.group} throws, at all PEs of a colour
   */
  split(colour: number | undefined | null, key: number = this.rank, options?: CallOptions): Group | null {
    const own = colourAndKey(colour, key);
    const all = this.#collectives.run(this.#backend.split(own), options) as Float64Array;
    return this.#withColour(own, all);
  }

  /** As {@link split}, without blocking, but for the making of the group: see {@link PE.group}. */
  async splitAsync(
    colour: number | undefined | null,
    key: number = this.rank,
    options?: CallOptions,
  ): Promise<Group | null> {
    const own = colourAndKey(colour, key);
    const all = (await this.#collectives.runAsync(this.#backend.split(own), options)) as Float64Array;
    return this.#withColour(own, all);
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

  #withColour(own: Float64Array, all: Float64Array): Group | null {
    const members = ranksLike(own, all);
    return members.length === 0 ? null : this.#makeGroup(members.map((rank) => this.ranks[rank] as number));
  }
}

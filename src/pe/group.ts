/** A group: PEs that call collectives together. The world is a group; any subset of it can be one. */

import type { CollectivesBackend } from "../collectives/calls/backend.ts";
import type { CallOptions, CheckedCall } from "../collectives/calls/call.ts";
import type { Operand, OpFor, Reduced } from "../collectives/calls/elements.ts";
import type { PartsOptions, ResultOptions } from "../collectives/calls/into.ts";
import type { Scatterable } from "../collectives/calls/parts.ts";
import type { Collectives } from "../collectives/collectives.ts";
import type { HeapArrays, TypedArrayConstructor } from "../collectives/heap-arrays.ts";
import type { Into } from "../collectives/node/result-array.ts";
import type { Op } from "../collectives/team/payload.ts";
import type { TypedArray } from "../ground/memory/kernels/elements.ts";
import type { Exchanged, Gathered, OpForParts, Scattered } from "./results.ts";
import type { Seat } from "./seat.ts";
import { setSeat } from "./seat-of.ts";

/** Makes the face of a seat. */
export let newGroup: (seat: Seat, onLeave?: () => void) => Group;

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
 * `x` is a number, a bigint of 64 bits, or a typed array (in place, elementwise); with `minloc` and `maxloc` it is a
 * value with its index, or a typed array of such pairs. Where the text says value, it is anything that v8.serialize can
 * clone.
 */
export class Group {
  static {
    newGroup = (seat, onLeave) => new Group(seat, onLeave);
  }

  /** This PE's rank in the group, 0 to `size` - 1. */
  readonly rank: number;
  /** Number of PEs in the group. */
  readonly size: number;
  /** The ranks of the group's PEs in the world, by rank in the group. */
  readonly ranks: readonly number[];
  readonly #collectives: Collectives;
  readonly #makeGroup: Seat["group"];
  readonly #onLeave: () => void;

  protected constructor(seat: Seat, onLeave: () => void = () => {}) {
    const { collectives } = seat;
    this.rank = seat.rank;
    this.size = seat.size;
    this.ranks = seat.members;
    this.#collectives = collectives;
    this.#makeGroup = seat.group;
    this.#onLeave = onLeave;
    setSeat(this, seat);
  }

  get #backend(): CollectivesBackend {
    return this.#collectives.backend;
  }

  get #arrays(): HeapArrays {
    return this.#collectives.arrays;
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
    return this.#collectives.move("gather", x, root, options);
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
    return this.#collectives.move("allgather", x, -1, options);
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
   * new arrays; a list of `size` values gives one value to each PE. Only the root's x counts; the others may pass
   * undefined or null.
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
      () => this.#backend.scatter(x, root, options?.into) as CheckedCall<Scattered<T>>,
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
    return this.#collectives.move("alltoall", x, -1, options);
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

  /** As {@link alltoall}, of typed arrays of one type and any lengths: `parts[j]` to PE j, entry i from PE i. */
  alltoallv<T extends TypedArray>(parts: readonly T[], options?: ResultOptions<T | readonly T[]>): T[] {
    return this.#collectives.run(this.#backend.alltoallv(parts, options?.into), options) as T[];
  }

  /** As {@link alltoallv}, without blocking. */
  alltoallvAsync<T extends TypedArray>(parts: readonly T[], options?: ResultOptions<T | readonly T[]>): Promise<T[]> {
    return this.#collectives.later(() => this.#backend.alltoallv(parts, options?.into) as CheckedCall<T[]>, options);
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
   * Of a value and where it is, `minloc` gives the smallest value of all PEs and `maxloc` the largest, with its index;
   * of equal values the one with the smallest index. A NaN is taken before all other values, and -0 counts as smaller
   * than 0. In a typed array with an even number of elements these ops take pairs: value, index, value, index, …
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
   * The op is `"sum"`, `"prod"`, `"min"` or `"max"`; for integers and numbers also `"and"`, `"or"` or `"xor"`, bit by
   * bit; for a value with its index, or an array of such pairs, `"minloc"` or `"maxloc"`; or a function of two elements
   * that returns one, the same at every PE. It must be associative and commutative. More of ops: {@link reduce}.
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
      () => backend.reduceScatter(x, op, options?.into) as CheckedCall<Scattered<T>>,
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
    return this.#collectives.later(() => backend.scan(x, op, true) as CheckedCall<Operand>, options);
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

  /**
   * Allocates a zeroed typed array in the node's shared heap at each PE. Collectives on such arrays save a copy.
   * Collective: all PEs request the same number of bytes. Aligned to 128 bytes.
   * @throws HeapError at every PE if the heap is full; the world continues
   */
  alloc<T extends TypedArray>(type: TypedArrayConstructor<T>, length: number): T {
    return this.#arrays.alloc("alloc", type, length);
  }

  /** As {@link alloc}, without blocking. */
  allocAsync<T extends TypedArray>(type: TypedArrayConstructor<T>, length: number): Promise<T> {
    return this.#arrays.allocAsync("alloc", type, length);
  }

  /**
   * Allocates one zeroed typed array on each node, in the node's shared heap: all PEs of the group on that node get the
   * same memory, of which each may read and write all. Collective: all PEs request the same number of bytes. Aligned to
   * 128 bytes. {@link free} frees it. One that is larger than the heap lies beside it, in memory of its own.
   *
   * Nothing orders the accesses of two PEs but what they call: between a write of one PE and a read or write of the
   * same element by another, all call {@link barrier}, or they use `Atomics` on an array of integers. Over nodes,
   * nothing is copied from one node's array to another's.
   *
   * A collective that writes its x (broadcast at all but the root, reduce, allreduce, scan, exscan) throws a UsageError
   * for such an array, unless this PE is the only one of its group on the node. The others read it, as any array. Other
   * views of the memory are not recognised: pass parts that no two PEs have in common. Between a write of one PE and an
   * access of another to the same element all call `barrier`, or an allreduce, allgather or alltoall of something.
   * @throws HeapError at every PE if the heap of a node is full; the world continues
   */
  allocShared<T extends TypedArray>(type: TypedArrayConstructor<T>, length: number): T {
    return this.#arrays.alloc("allocShared", type, length);
  }

  /** As {@link allocShared}, without blocking. */
  allocSharedAsync<T extends TypedArray>(type: TypedArrayConstructor<T>, length: number): Promise<T> {
    return this.#arrays.allocAsync("allocShared", type, length);
  }

  /**
   * Frees the arrays that one {@link alloc} or {@link allocShared} call returned at all PEs. Collective. Later
   * collectives of this PE reject the array. They cannot recognise other views of the same memory; do not use those any
   * more.
   */
  free(array: TypedArray): void {
    this.#arrays.free(array);
  }

  /** As {@link free}, without blocking. */
  freeAsync(array: TypedArray): Promise<void> {
    return this.#arrays.freeAsync(array);
  }

  /**
   * Divides the group: the PEs with the same colour become a group, in the order of their keys, PEs with equal keys in
   * that of their ranks here (as MPI_Comm_split). A PE whose colour is undefined or null is in none, and gets null.
   * Collective: all PEs of this group call it. The groups are made as by {@link PE.group}, and each uses heap memory
   * until all its PEs have left it: `using row = pe.split(…)`, or {@link leave}.
   * @param colour a whole number
   * @param key a finite number. @default this PE's rank
   * @throws UsageError for another colour or key; what {@link PE.group} throws, at all PEs of a colour
   */
  split(colour: number | undefined | null, key: number = this.rank, options?: CallOptions): Group | null {
    return this.#withMembers(this.#collectives.run(this.#backend.split(colour, key), options));
  }

  /** As {@link split}, without blocking, but for the making of the group: see {@link PE.group}. */
  async splitAsync(
    colour: number | undefined | null,
    key: number = this.rank,
    options?: CallOptions,
  ): Promise<Group | null> {
    return this.#withMembers(await this.#collectives.later(() => this.#backend.split(colour, key), options));
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

  #withMembers(members: readonly number[]): Group | null {
    return members.length === 0 ? null : (this.#makeGroup(members.map((rank) => this.ranks[rank] as number)) as Group);
  }
}

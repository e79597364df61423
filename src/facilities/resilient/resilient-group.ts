/** A resilient group, as programs see it. */
import type { CallOptions } from "../../collectives/calls/call.ts";
import type { Operand, OpFor, Reduced } from "../../collectives/calls/elements.ts";
import type { Scatterable } from "../../collectives/calls/parts.ts";
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Exchanged, Gathered, OpForParts, Scattered } from "../../pe/results.ts";
import type { Seat } from "../../pe/seat.ts";
import { ResilientCalls } from "./call.ts";
import { Survivors } from "./survivors.ts";

/** A result with a place for each PE: in a list, undefined in that of a lost one. */
export type WithGaps<T> = T extends TypedArray ? T : T extends readonly (infer Part)[] ? (Part | undefined)[] : T;

/** Makes the face of a seat's group. */
export let newResilientGroup: (seat: Seat) => ResilientGroup;

/**
 * The collectives of a group that goes on when it loses PEs (`onLoss: "continue"`): those that are left repair its
 * trees and make the call again among themselves, within the call. Made by {@link resilient}.
 *
 * Ranks and `size` stay as they are, and the place of a lost PE is empty (FT-MPI's mode BLANK): undefined in lists,
 * zeros in the typed array of an alltoall, nothing in gathered typed arrays. Lists of parts keep an entry for it, which
 * goes nowhere. Scans leave it out.
 *
 * A call counts at all PEs that are left, or it is made again at all of them: what a PE gave that is lost in the middle
 * is in the results of all, or of none, and {@link lost} is the same at all of them after the same call. A function
 * that is an op may thus run more often.
 *
 * The calls are those of a `Group`, with the same arguments, options (but `into`), and rules, and each ends with
 * one agreement more, over nodes with two barriers. They throw the same errors, but a RankLostError only
 *
 * - if the root of the call is lost: at all PEs alike, and the group goes on. An array of a broadcast may be changed;
 * - at a PE that is lost itself, as its op threw.
 */
export class ResilientGroup {
  static {
    newResilientGroup = (seat) => new ResilientGroup(seat);
  }

  /** This PE's rank in the group, 0 to `size` - 1. */
  readonly rank: number;
  /** Number of PEs in the group, with those that are lost. */
  readonly size: number;
  /** The ranks of the group's PEs in the world, by rank in the group. */
  readonly ranks: readonly number[];
  readonly #calls: ResilientCalls;
  readonly #survivors: Survivors;

  private constructor(seat: Seat) {
    this.rank = seat.rank;
    this.size = seat.size;
    this.ranks = seat.members;
    this.#calls = new ResilientCalls(seat.rank, seat.size);
    this.#survivors = new Survivors(seat);
  }

  /** The ranks in the group of the PEs that it has gone on without so far, in order. The same at all PEs. */
  get lost(): readonly number[] {
    const { members } = this.#survivors;
    return this.ranks.flatMap((_, rank) => (members.includes(rank) ? [] : rank));
  }

  /** The algorithm of each collective among those that are left, one line each. */
  explain(): string {
    return this.#survivors.collectives.explain();
  }

  /** As `barrier` of a group. */
  barrier(options?: CallOptions): void {
    this.#survivors.block(this.#calls.barrier(), options);
  }

  /** As {@link barrier}, without blocking. */
  barrierAsync(options?: CallOptions): Promise<void> {
    return this.#survivors.await(() => this.#calls.barrier(), options);
  }

  /** As `broadcast` of a group. */
  broadcast(x: number, root?: number, options?: CallOptions): number;
  broadcast(x: bigint, root?: number, options?: CallOptions): bigint;
  broadcast<T>(x: T | undefined, root?: number, options?: CallOptions): T;
  broadcast(x: unknown, root = 0, options?: CallOptions): unknown {
    return this.#survivors.block(this.#calls.broadcast(x, root, options?.algorithm), options);
  }

  /** As {@link broadcast}, without blocking. */
  broadcastAsync<T>(x: T | undefined, root = 0, options?: CallOptions): Promise<T> {
    return this.#survivors.await(() => this.#calls.broadcast(x, root, options?.algorithm), options);
  }

  /** As `reduce` of a group. */
  reduce<T extends Operand>(x: T, op: OpFor<T>, root = 0, options?: CallOptions): Reduced<T> | undefined {
    return this.#survivors.block(this.#calls.reduce(x, op, root, options?.algorithm), options);
  }

  /** As {@link reduce}, without blocking. */
  reduceAsync<T extends Operand>(x: T, op: OpFor<T>, root = 0, options?: CallOptions): Promise<Reduced<T> | undefined> {
    return this.#survivors.await(() => this.#calls.reduce(x, op, root, options?.algorithm), options);
  }

  /** As `allreduce` of a group. */
  allreduce<T extends Operand>(x: T, op: OpFor<T>, options?: CallOptions): Reduced<T> {
    return this.#survivors.block(this.#calls.allreduce(x, op, options?.algorithm), options);
  }

  /** As {@link allreduce}, without blocking. */
  allreduceAsync<T extends Operand>(x: T, op: OpFor<T>, options?: CallOptions): Promise<Reduced<T>> {
    return this.#survivors.await(() => this.#calls.allreduce(x, op, options?.algorithm), options);
  }

  /** As `reduceScatter` of a group. */
  reduceScatter<T extends Scatterable>(x: T, op: OpForParts<T>, options?: CallOptions): Scattered<T> {
    return this.#survivors.block(this.#calls.reduceScatter(x, op), options);
  }

  /** As {@link reduceScatter}, without blocking. */
  reduceScatterAsync<T extends Scatterable>(x: T, op: OpForParts<T>, options?: CallOptions): Promise<Scattered<T>> {
    return this.#survivors.await(() => this.#calls.reduceScatter(x, op), options);
  }

  /** As `scan` of a group. */
  scan<T extends Operand>(x: T, op: OpFor<T>, options?: CallOptions): Reduced<T> {
    return this.#survivors.block(this.#calls.scan(x, op, true), options);
  }

  /** As {@link scan}, without blocking. */
  scanAsync<T extends Operand>(x: T, op: OpFor<T>, options?: CallOptions): Promise<Reduced<T>> {
    return this.#survivors.await(() => this.#calls.scan(x, op, true), options);
  }

  /** As `exscan` of a group: the first PE that is left gets undefined. */
  exscan<T extends Operand>(x: T, op: OpFor<T>, options?: CallOptions): Reduced<T> | undefined {
    return this.#survivors.block(this.#calls.scan(x, op, false), options);
  }

  /** As {@link exscan}, without blocking. */
  exscanAsync<T extends Operand>(x: T, op: OpFor<T>, options?: CallOptions): Promise<Reduced<T> | undefined> {
    return this.#survivors.await(() => this.#calls.scan(x, op, false), options);
  }

  /** As `gather` of a group. */
  gather<T>(x: T, root = 0, options?: CallOptions): WithGaps<Gathered<T>> | undefined {
    return this.#survivors.block(this.#calls.gather(x, root), options);
  }

  /** As {@link gather}, without blocking. */
  gatherAsync<T>(x: T, root = 0, options?: CallOptions): Promise<WithGaps<Gathered<T>> | undefined> {
    return this.#survivors.await(() => this.#calls.gather(x, root), options);
  }

  /** As `allgather` of a group. */
  allgather<T>(x: T, options?: CallOptions): WithGaps<Gathered<T>> {
    return this.#survivors.block(this.#calls.allgather(x), options);
  }

  /** As {@link allgather}, without blocking. */
  allgatherAsync<T>(x: T, options?: CallOptions): Promise<WithGaps<Gathered<T>>> {
    return this.#survivors.await(() => this.#calls.allgather(x), options);
  }

  /** As `scatter` of a group. */
  scatter<T extends TypedArray | readonly unknown[] | null | undefined>(
    x: T,
    root = 0,
    options?: CallOptions,
  ): Scattered<T> {
    return this.#survivors.block(this.#calls.scatter(x, root), options);
  }

  /** As {@link scatter}, without blocking. */
  scatterAsync<T extends TypedArray | readonly unknown[] | null | undefined>(
    x: T,
    root = 0,
    options?: CallOptions,
  ): Promise<Scattered<T>> {
    return this.#survivors.await(() => this.#calls.scatter(x, root), options);
  }

  /** As `alltoall` of a group. */
  alltoall<T extends TypedArray | readonly unknown[]>(x: T, options?: CallOptions): WithGaps<Exchanged<T>> {
    return this.#survivors.block(this.#calls.alltoall(x), options);
  }

  /** As {@link alltoall}, without blocking. */
  alltoallAsync<T extends TypedArray | readonly unknown[]>(
    x: T,
    options?: CallOptions,
  ): Promise<WithGaps<Exchanged<T>>> {
    return this.#survivors.await(() => this.#calls.alltoall(x), options);
  }

  /** As `alltoallv` of a group. */
  alltoallv<T extends TypedArray>(parts: readonly T[], options?: CallOptions): (T | undefined)[] {
    return this.#survivors.block(this.#calls.alltoallv(parts), options);
  }

  /** As {@link alltoallv}, without blocking. */
  alltoallvAsync<T extends TypedArray>(parts: readonly T[], options?: CallOptions): Promise<(T | undefined)[]> {
    return this.#survivors.await(() => this.#calls.alltoallv(parts), options);
  }

  /**
   * Leaves the resilient group, and not the group that it was made of: this PE makes no more calls in it. It does not
   * wait. The heap gets its memory back when all its PEs have left. `using` calls it. A second call has no effect.
   * @throws UsageError while an Async call of it is pending at this PE
   */
  leave(): void {
    this.#survivors.leave();
  }

  /** As {@link leave}. */
  [Symbol.dispose](): void {
    this.leave();
  }
}

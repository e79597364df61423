/**
 * Runs a schedule on elements, which are sent from where they lie in the heap, and received there. An operation, so
 * that a blocking call and an asynchronous one take the same steps, and one object for all calls of a group.
 *
 * MPI reads what goes by rendezvous while the steps go on: before the elements change, and at the end, they wait until
 * it has gone.
 */

import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import { ReusableTask, type Task } from "../../ground/wait/task.ts";
import type { StreamMessage } from "../../links/transport/messages/unexpected-queue.ts";
import type { CheckedCall } from "../calls/call.ts";
import type { Region } from "../node/region.ts";
import type { Hierarchy } from "./hierarchy.ts";
import type { Messages } from "./messages.ts";
import {
  BROADCAST_WITHIN,
  COPY_IN,
  COPY_OUT,
  MAKE_MPI,
  MPI_BARRIER,
  MPI_BROADCAST,
  MPI_SUM,
  RECEIVE,
  REDUCE,
  REDUCE_BEFORE,
  REDUCE_WITHIN,
  type Schedule,
  SEND,
  type Step,
} from "./schedule.ts";
import type { HeapScratch } from "./scratch.ts";

/** A schedule and its elements. */
export interface ArrayWork {
  readonly schedule: Schedule;
  readonly region: Region;
  /** null where nothing is combined. */
  readonly reducer: Reducer | null;
  /** Whether it does not matter which operand is the left one. */
  readonly commutes: boolean;
  /** The steps within the subgroup; null for those that the schedule does not have. */
  readonly reduceWithin: CheckedCall<unknown> | null;
  readonly broadcastWithin: CheckedCall<unknown> | null;
}

/** One PE's elements in a group. */
export class ArrayExecutor extends ReusableTask<void> {
  readonly result: undefined;
  readonly #hierarchy: Hierarchy;
  readonly #messages: Messages;
  readonly #scratch: HeapScratch;
  readonly #staging: HeapScratch;
  #work: ArrayWork | null = null;
  /** The current step, and how far it has come: its collective of the subgroup, its message, whether that came. */
  #at = 0;
  #within: Task<unknown> | null = null;
  #message: StreamMessage | null = null;
  #hasCome = false;

  constructor(hierarchy: Hierarchy) {
    super();
    this.#hierarchy = hierarchy;
    this.#messages = hierarchy.messages;
    this.#scratch = hierarchy.scratch;
    this.#staging = hierarchy.staging;
  }

  /** Begins a schedule, in the call that {@link Messages.begin} was told. */
  begin(work: ArrayWork): this {
    this.#work = work;
    this.#at = 0;
    return this;
  }

  advance(): Condition | null {
    const work = this.#work as ArrayWork;
    const { schedule } = work;
    for (; this.#at < schedule.length; this.#at++) {
      const wait = this.#take(work, schedule[this.#at]);
      if (wait !== null) return wait;
    }
    const wait = this.#messages.flush();
    if (wait !== null) return wait;
    this.#scratch.leave();
    this.#staging.leave();
    // an array outside the heap is not to stay alive by this
    this.#work = null;
    return null;
  }

  /** Takes a step, or goes on with it. @returns what it waits for; null when it has been taken */
  #take(work: ArrayWork, { kind, peer }: Step): Condition | null {
    const { region } = work;
    switch (kind) {
      case SEND:
        return this.#messages.send(peer, this.#addressOf(region), region.bytes);
      case RECEIVE:
        return this.#messages.flush() ?? this.#receive(peer, this.#addressOf(region), region.bytes);
      case REDUCE:
      case REDUCE_BEFORE:
        return this.#reduce(work, peer, kind === REDUCE || work.commutes);
      case COPY_IN:
        this.#copyIn(region);
        return null;
      case COPY_OUT:
        this.#copyOut(region);
        return null;
      case REDUCE_WITHIN:
        return this.#withinSubgroup(work.reduceWithin as CheckedCall<unknown>);
      case BROADCAST_WITHIN:
        return this.#withinSubgroup(work.broadcastWithin as CheckedCall<unknown>);
      case MPI_BROADCAST:
      case MPI_SUM:
        return this.#hierarchy.mpi.elements(kind, this.#addressOf(region), region.bytes, peer);
      case MPI_BARRIER:
      case MAKE_MPI:
        throw new Error("a step of numbers only");
    }
  }

  #receive(from: number, address: number, bytes: number): Condition | null {
    this.#message ??= this.#messages.take(from);
    if (this.#message === null) return this.#messages.arrival;
    const wait = this.#messages.fetch(this.#message, address, bytes);
    if (wait === null) this.#message = null;
    return wait;
  }

  #reduce({ region, reducer }: ArrayWork, from: number, isLeft: boolean): Condition | null {
    const { bytes, size } = region;
    const other = this.#scratch.take(bytes);
    if (!this.#hasCome) {
      const wait = this.#receive(from, other, bytes);
      if (wait !== null) return wait;
      this.#hasCome = true;
    }
    const wait = this.#messages.flush();
    if (wait !== null) return wait;
    this.#hasCome = false;
    const address = this.#addressOf(region);
    const combine = reducer as Reducer;
    if (isLeft) {
      combine(address, other, bytes / size);
    } else {
      combine(other, address, bytes / size);
      this.#hierarchy.team.heap.kernels.copy(address, other, bytes);
    }
    return null;
  }

  #withinSubgroup(call: CheckedCall<unknown>): Condition | null {
    this.#within ??= call.begin(this.#messages.tag);
    const step = this.#within.next();
    if (!step.done) return step.value;
    call.finish(step.value);
    this.#within = null;
    return null;
  }

  /** Where the elements are sent from: where they lie, or their place in the staging memory. */
  #addressOf({ array, address, bytes }: Region): number {
    return array === null ? address : this.#staging.take(bytes);
  }

  #copyIn(region: Region): void {
    const { array, type, bytes } = region;
    if (array !== null) this.#hierarchy.team.payload.put(array, type, 0, bytes, this.#addressOf(region));
  }

  #copyOut(region: Region): void {
    const { array, type, bytes } = region;
    if (array !== null) this.#hierarchy.team.payload.get(array, type, 0, bytes, this.#addressOf(region));
  }
}

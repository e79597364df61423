/**
 * Runs a schedule on a number: blocking, or as an operation of an asynchronous call. One object for all calls of a
 * group, so that none allocates anything.
 */

import type { Condition } from "../../ground/wait/condition.ts";
import { ReusableTask } from "../../ground/wait/task.ts";
import { block } from "../../ground/wait/waiter.ts";
import type { CallEngine } from "../calls/engine.ts";
import type { Combine } from "../team/payload.ts";
import type { Hierarchy } from "./hierarchy.ts";
import type { Messages } from "./messages.ts";
import type { MpiCollectives } from "./mpi-collectives.ts";
import {
  BROADCAST_WITHIN,
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
} from "./schedule.ts";

/** One PE's numbers in a group. */
export class ScalarExecutor extends ReusableTask<number> {
  /** The value of the schedule. */
  result = 0;
  readonly #engine: CallEngine;
  readonly #messages: Messages;
  readonly #mpi: MpiCollectives;
  #schedule: Schedule = [];
  #combine: Combine<number> = Math.max;
  /** The current step; whether its collective of the subgroup has begun. */
  #at = 0;
  #isWithin = false;

  /** @param engine of this PE's subgroup */
  constructor(engine: CallEngine, { messages, mpi }: Hierarchy) {
    super();
    this.#engine = engine;
    this.#messages = messages;
    this.#mpi = mpi;
  }

  /** Begins a schedule, in the call that {@link Messages.begin} was told. */
  begin(schedule: Schedule, x: number, combine: Combine<number>): this {
    this.#schedule = schedule;
    this.#combine = combine;
    this.#at = 0;
    this.result = x;
    return this;
  }

  /** The asynchronous driver. @returns what it waits for; null at the end */
  advance(): Condition | null {
    const schedule = this.#schedule;
    const messages = this.#messages;
    for (; this.#at < schedule.length; this.#at++) {
      const { kind, peer } = schedule[this.#at];
      if (kind === SEND) {
        const wait = messages.sendNumber(peer, this.result);
        if (wait !== null) return wait;
      } else if (kind === RECEIVE || kind === REDUCE || kind === REDUCE_BEFORE) {
        const message = messages.take(peer);
        if (message === null) return messages.arrival;
        const { number } = message;
        if (kind === RECEIVE) this.result = number;
        else if (kind === REDUCE) this.result = this.#combine(this.result, number);
        else this.result = this.#combine(number, this.result);
      } else if (kind === REDUCE_WITHIN) {
        const wait = this.#reduceWithin(peer);
        if (wait !== null) return wait;
      } else if (kind === BROADCAST_WITHIN) {
        const wait = this.#broadcastWithin(peer);
        if (wait !== null) return wait;
      } else if (kind === MPI_BARRIER || kind === MPI_BROADCAST || kind === MPI_SUM) {
        const wait = this.#mpi.number(kind, this.result, peer);
        if (wait !== null) return wait;
        this.result = this.#mpi.result;
      } else if (kind === MAKE_MPI) {
        this.result = this.#mpi.make();
      }
    }
    return null;
  }

  #reduceWithin(leader: number): Condition | null {
    const { reduce } = this.#engine;
    if (!this.#isWithin) reduce.beginNumber(this.#messages.tag, this.result, this.#combine, leader);
    const wait = reduce.advance();
    this.#isWithin = wait !== null;
    if (wait === null) this.result = reduce.result;
    return wait;
  }

  #broadcastWithin(leader: number): Condition | null {
    const { broadcast } = this.#engine;
    if (!this.#isWithin) broadcast.beginNumber(this.#messages.tag, this.result, leader);
    const wait = broadcast.advance();
    this.#isWithin = wait !== null;
    if (wait === null) this.result = broadcast.result;
    return wait;
  }

  /** The blocking driver: a schedule to its end, its state in local variables; {@link advance} stores it. */
  run(schedule: Schedule, x: number, combine: Combine<number>): number {
    const messages = this.#messages;
    const { reduce, broadcast, team } = this.#engine;
    let value = x;
    for (let at = 0; at < schedule.length; at++) {
      const { kind, peer } = schedule[at];
      if (kind === SEND) {
        for (;;) {
          const wait = messages.sendNumber(peer, value);
          if (wait === null) break;
          block(team.waiter, wait);
        }
      } else if (kind === RECEIVE || kind === REDUCE || kind === REDUCE_BEFORE) {
        let message = messages.take(peer);
        while (message === null) {
          block(team.waiter, messages.arrival);
          message = messages.take(peer);
        }
        const { number } = message;
        if (kind === RECEIVE) value = number;
        else if (kind === REDUCE) value = combine(value, number);
        else value = combine(number, value);
      } else if (kind === REDUCE_WITHIN) {
        value = reduce.number(messages.tag, value, combine, peer);
      } else if (kind === BROADCAST_WITHIN) {
        value = broadcast.number(messages.tag, value, peer);
      } else if (kind === MPI_BARRIER || kind === MPI_BROADCAST || kind === MPI_SUM) {
        const mpi = this.#mpi;
        for (;;) {
          const wait = mpi.number(kind, value, peer);
          if (wait === null) break;
          block(team.waiter, wait);
        }
        value = mpi.result;
      } else if (kind === MAKE_MPI) {
        value = this.#mpi.make();
      }
    }
    return value;
  }
}

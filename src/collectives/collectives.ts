/**
 * The collectives of one PE in one team: calls are checked, the algorithm is chosen, then it runs, blocking or not.
 * Each algorithm's state is made once. Numbers take a separate path that allocates nothing.
 *
 * A call that is rejected (UsageError) has not affected any other PE. A call that has begun and fails ends the world,
 * as it cannot succeed at any PE any more.
 */

import { UsageError } from "../ground/base/errors.ts";
import { monotonic } from "../ground/base/event-loop/timers.ts";
import type { AsyncWaits } from "../ground/wait/async.ts";
import { blocks } from "../ground/wait/blocking.ts";
import { awaitOn, type Task, type Waiters } from "../ground/wait/task.ts";
import { block } from "../ground/wait/waiter.ts";
import { QueuedCall } from "./calls/async-queue.ts";
import type { CollectivesBackend } from "./calls/backend.ts";
import { type CallOptions, type CheckedCall, checkCallOptions, checkRoot } from "./calls/call.ts";
import type { Crossovers } from "./calls/decide.ts";
import type { Operand } from "./calls/elements.ts";
import { CallEngine } from "./calls/engine.ts";
import type { ResultOptions } from "./calls/into.ts";
import type { KeptCalls, MovingCall } from "./calls/kept-calls.ts";
import type { DataParts } from "./data-parts.ts";
import type { HeapArrays } from "./heap-arrays.ts";
import type { HierarchyBackend } from "./hierarchy/backend.ts";
import type { Hierarchy } from "./hierarchy/hierarchy.ts";
import type { Into } from "./node/result-array.ts";
import {
  ALLREDUCE_NUMBER_EXCHANGE,
  ALLREDUCE_NUMBER_TREE,
  BARRIER,
  BROADCAST_NUMBER,
  callName,
  opName,
  REDUCE_NUMBER,
} from "./team/call-words.ts";
import type { Op } from "./team/payload.ts";
import { HeapRefusal, IntoRefusal } from "./team/refusals.ts";
import type { Team } from "./team/team.ts";

/** Added to the number of pending calls where no call may block; far larger than that number can be. */
const ASYNC_ONLY = 2 ** 27;
/** Added to the number of pending calls while a user's op runs in one of them; larger than both together. */
const INSIDE_OP = 2 ** 28;
/** Added to the number of pending calls when the PE has left its world; larger than all that. */
const RETIRED = 2 ** 29;
/** The number of pending calls when the PE has left the team: a small integer, so V8 keeps the field as it is. */
const LEFT = 2 ** 30 - 1;

/** Additions for a group over several nodes: loaded only there. */
export interface OverNodes {
  readonly hierarchy: Hierarchy;
  backend(within: CallEngine): HierarchyBackend;
}

/** All collectives of one PE of a team. */
export class Collectives {
  readonly team: Team;
  readonly engine: CallEngine;
  /** Of a group over several nodes; null for a team alone. */
  readonly hierarchy: Hierarchy | null;
  /** Of a group with PEs of other nodes; null for a team alone. */
  readonly #hierarchy: HierarchyBackend | null;
  readonly #waiting: Waiters;
  /** Whether an allreduce of numbers uses exchange instead of the trees. */
  readonly #exchanges: boolean;
  readonly #late: () => DataParts;
  #backend: CollectivesBackend | null;
  #kept: KeptCalls | null = null;
  #arrays: HeapArrays | null = null;
  /** The last Async call. They run one after another, in the order in which they were made. */
  #last: QueuedCall = QueuedCall.none();
  /** Number of pending Async calls, plus ASYNC_ONLY, and RETIRED after {@link retire}; LEFT after {@link leave}. */
  #underway: number;

  /**
   * @param crossovers as measured on this machine; undefined for the defaults of decide.ts
   * @param forcedBy what forces the algorithm of the trees, where something does
   * @param overNodes of a group over several nodes, whose PEs on this one are the team; null for a team alone
   */
  constructor(
    team: Team,
    waits: AsyncWaits,
    late: () => DataParts,
    crossovers: Crossovers | undefined,
    forcedBy: string | undefined,
    overNodes: OverNodes | null,
  ) {
    this.team = team;
    this.#late = late;
    this.engine = new CallEngine(team, (inside) => this.#setInside(inside), late, crossovers, forcedBy);
    this.hierarchy = overNodes?.hierarchy ?? null;
    this.#hierarchy = overNodes?.backend(this.engine) ?? null;
    this.#backend = this.#hierarchy;
    this.#waiting = { waiter: team.waiter, waits, watcher: team, holdsBoth: true };
    this.#underway = team.waiter.mayBlock ? 0 : ASYNC_ONLY;
    this.#exchanges = this.engine.decisions.choose("allreduce", 8) === "exchange";
  }

  /** All calls, checked and ready to be begun. */
  get backend(): CollectivesBackend {
    this.#backend ??= new (this.#late().NodeBackend)(this.engine);
    return this.#backend;
  }

  /** The arrays that the group has allocated. */
  get arrays(): HeapArrays {
    this.#arrays ??= new (this.#late().HeapArrays)(this);
    return this.#arrays;
  }

  #keep(): KeptCalls {
    this.#kept = new (this.#late().KeptCalls)(this.team, this.backend, this.#hierarchy === null);
    return this.#kept;
  }

  explain(): string {
    return (this.#hierarchy ?? this.engine).explain();
  }

  /** The last call of this PE in this team; a second call has no effect. */
  leave(): void {
    if (this.#underway === LEFT) return;
    if ((this.#underway & ~(RETIRED | ASYNC_ONLY)) !== 0) throw this.#refused();
    this.#underway = LEFT;
    (this.#hierarchy ?? this.team).leave();
  }

  /** The PE has left its world: no call is possible any more, in this group either. */
  retire(): void {
    if (this.#underway < RETIRED) this.#underway += RETIRED;
  }

  /** @throws what every call throws once the PE has left or the world has ended */
  check(): void {
    if (this.#underway >= RETIRED) throw this.#refused();
    this.team.checkWorld();
  }

  // --- the hot path: no options, nothing allocated ------------------------------------------------

  barrier(): void {
    if (this.#underway > 0) throw this.#refused("barrier");
    const hierarchy = this.#hierarchy;
    if (hierarchy !== null) {
      this.#barrierRemote(hierarchy);
      return;
    }
    const tag = this.team.enter(BARRIER, 0, -1);
    try {
      this.engine.barrier.run(tag);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #barrierRemote({ scalars }: HierarchyBackend): void {
    const word = scalars.barrierWord;
    const tag = this.team.enter(word, 0, -1);
    this.team.note(word, 0, -1);
    try {
      scalars.barrier(tag);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  broadcastNumber(x: number, root: number): number {
    if (this.#underway > 0) throw this.#refused("broadcast");
    const hierarchy = this.#hierarchy;
    checkRoot(root, hierarchy?.size ?? this.team.size);
    if (hierarchy !== null) return this.#broadcastRemote(hierarchy, x, root);
    const tag = this.team.enter(BROADCAST_NUMBER, 1, root);
    const atRoot = root === this.team.rank;
    try {
      if (!atRoot) this.team.note(BROADCAST_NUMBER, 1, root);
      const result = this.engine.broadcast.number(tag, x, root);
      // the root waits for no PE, and all others wait for it
      if (atRoot) this.team.note(BROADCAST_NUMBER, 1, root);
      return result;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #broadcastRemote({ scalars }: HierarchyBackend, x: number, root: number): number {
    const word = scalars.broadcastWord;
    const tag = this.team.enter(word, 1, root);
    this.team.note(word, 1, root);
    try {
      return scalars.broadcast(tag, x, root);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  reduceNumber(x: number, op: Op, root: number): number | undefined {
    if (this.#underway > 0) throw this.#refused("reduce");
    const hierarchy = this.#hierarchy;
    checkRoot(root, hierarchy?.size ?? this.team.size);
    const combine = this.engine.ops.numbers(op);
    const word = REDUCE_NUMBER[opName(op)];
    const tag = this.team.enter(word, 1, root);
    this.team.note(word, 1, root);
    try {
      if (hierarchy !== null) {
        const result = hierarchy.scalars.reduce(word, tag, x, combine, root);
        return hierarchy.rank === root ? result : undefined;
      }
      const result = this.engine.reduce.number(tag, x, combine, root);
      return this.team.rank === root ? result : undefined;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  allreduceNumber(x: number, op: Op): number {
    if (this.#underway > 0) throw this.#refused("allreduce");
    const hierarchy = this.#hierarchy;
    const combine = this.engine.ops.numbers(op);
    const exchanges = this.#exchanges && hierarchy === null;
    const words = exchanges ? ALLREDUCE_NUMBER_EXCHANGE : ALLREDUCE_NUMBER_TREE;
    const word = hierarchy !== null && op === "sum" ? hierarchy.scalars.sumWord : words[opName(op)];
    const tag = this.team.enter(word, 1, -1);
    try {
      if (exchanges) return this.engine.exchange.number(word, tag, x, combine);
      this.team.note(word, 1, -1);
      if (hierarchy !== null) return hierarchy.scalars.allreduce(word, tag, x, combine);
      const { root } = this.team.plan.reduce;
      return this.engine.broadcast.number(tag, this.engine.reduce.number(tag, x, combine, root), root);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** As {@link run} of {@link CollectivesBackend.broadcast}; repeated calls on an array in the heap are kept. */
  broadcast<T>(x: T, root: number, options: CallOptions | undefined): T {
    return this.run((this.#kept ?? this.#keep()).broadcast(x, root, options?.algorithm), options) as T;
  }

  /** As {@link broadcast}, of {@link CollectivesBackend.reduce}. */
  reduce<T extends Operand>(x: T, op: Op, root: number, options: CallOptions | undefined): T | undefined {
    return this.run((this.#kept ?? this.#keep()).reduce(x, op, root, options?.algorithm), options) as T | undefined;
  }

  /** As {@link broadcast}, of {@link CollectivesBackend.allreduce}. */
  allreduce<T extends Operand>(x: T, op: Op, options: CallOptions | undefined): T {
    return this.run((this.#kept ?? this.#keep()).allreduce(x, op, options?.algorithm), options) as T;
  }

  /** As {@link broadcast}, of a call that moves arrays. */
  move(name: MovingCall, x: unknown, root: number, options: ResultOptions<Into> | undefined): unknown {
    const kept = this.#kept ?? this.#keep();
    return this.run(kept.move(name, x, root, options?.into), kept.withoutInto(options));
  }

  // --- any call, blocking or not ------------------------------------------------------------------

  /** Runs a call in the thread itself. */
  run<T>(call: CheckedCall<T>, options: CallOptions | undefined): T {
    if (this.#underway > 0) throw this.#refused(callName(call.word));
    if (options !== undefined) checkCallOptions(options, callName(call.word));
    const { waiter } = this.team;
    // an op of this group may call another group, whose calls have their own limits
    const { deadline, given } = waiter;
    if (options?.timeout !== undefined) {
      waiter.given = options.timeout;
      waiter.deadline = monotonic() + options.timeout;
    }
    const tag = this.team.enter(call.word, call.count, call.root);
    this.team.note(call.word, call.count, call.root);
    try {
      const task = call.begin(tag);
      let step = task.next();
      for (; !step.done; step = task.next()) block(waiter, step.value);
      return call.finish(step.value);
    } catch (error) {
      throw this.#failed(error);
    } finally {
      waiter.deadline = deadline;
      waiter.given = given;
    }
  }

  /** Runs a call without blocking: when the earlier ones are complete. An invalid call rejects its promise. */
  async later<T>(make: () => CheckedCall<T>, options?: CallOptions): Promise<T> {
    const call = make();
    if (options !== undefined) checkCallOptions(options, callName(call.word));
    return await awaitOn(this.#waiting, this.task(call), options);
  }

  /** @throws what every blocking call throws that must not block now */
  checkBlocking(call: string): void {
    if (this.#underway > 0) throw this.#refused(call);
  }

  /**
   * A call as a task, or a part of one: it begins when the earlier Async calls are complete. What ends one of its waits
   * early ends the world, as with every call that has begun. Its limits are left to what drives the task; one that
   * blocks has asked {@link checkBlocking} before.
   * @param mark of whose call it is, in its word
   */
  *task<T>(call: CheckedCall<T>, mark = 0): Task<T> {
    if (this.#underway >= INSIDE_OP) throw this.#refused();
    const before = this.#last;
    const turn = new QueuedCall();
    this.#last = turn;
    this.#underway++;
    try {
      if (!before.over) yield before;
      const word = call.word | mark;
      const tag = this.team.enter(word, call.count, call.root);
      this.team.note(word, call.count, call.root);
      return call.finish(yield* call.begin(tag));
    } catch (error) {
      throw this.#failed(error);
    } finally {
      this.#underway--;
      turn.end();
    }
  }

  /** A user's op begins in one of the calls, or has returned; meanwhile no other call is allowed. */
  #setInside(inside: boolean): void {
    this.#underway += inside ? INSIDE_OP : -INSIDE_OP;
    // the op may have waited in another group
    if (!inside) this.team.waiter.watcher = this.team;
  }

  /** @param blocking the call that would block */
  #refused(blocking = ""): UsageError {
    const underway = this.#underway;
    if (blocking !== "" && underway < INSIDE_OP && underway >= ASYNC_ONLY) return blocks(blocking);
    return new UsageError(
      underway === LEFT
        ? "This PE has left this group (leave, or the end of `using`). Make another one with pe.group(ranks)."
        : underway >= RETIRED
          ? "This PE has left its world (leave, or the end of `using`); join another with a ticket of its own."
          : underway >= INSIDE_OP
            ? "A collective inside an op, the body of a loop or a handler of tasks: not all PEs come there, or not equally " +
              "often. Call it before or after."
            : "An Async collective of this group is still under way at this PE; await it before a blocking call.",
    );
  }

  #failed(error: unknown): unknown {
    // of these two all PEs know, or the others need not know
    if (!(error instanceof HeapRefusal || error instanceof IntoRefusal)) this.team.fail(error);
    return error;
  }
}

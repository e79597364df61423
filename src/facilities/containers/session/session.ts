/**
 * The session of operations: all containers of an object share one elastic conveyor, which ends by quiescence
 * (QuietSession). An operation is an item:
 *
 *     ┌──────────────────────────────────┬──────────────┬──────────────┐
 *     │ u32: container + 256 * operation │ the key      │ arguments    │
 *     └──────────────────────────────────┴──────────────┴──────────────┘
 *
 * It is put together in a scratch, is sent to the owner of its key, and is read there where it lies. From one PE to
 * another operations keep their order, whatever their containers.
 *
 * Source: the asynchronous operations of YGM's containers (github.com/LLNL/ygm), which are active messages to the owner
 * of a key.
 */
import { UsageError } from "../../../ground/base/errors.ts";
import { isAsync } from "../../../ground/base/promise.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { PartialLimits } from "../../../links/transport/session-limits.ts";
import type { ConveyorStats } from "../../conveyor/engine/stats.ts";
import { runAsyncSession } from "../../conveyor/front/async-session.ts";
import { EventLoopDriver } from "../../conveyor/front/event-loop-driver.ts";
import { QuietSession, runQuietly } from "../../conveyor/front/quiet-session.ts";
import { Room } from "../../conveyor/front/run.ts";
import type { Scratch } from "../content/cursor.ts";
import type { OperationBelt } from "./belt.ts";
import { Life } from "./life.ts";
import { OPERATION_HEAD, type OperationReceiver, type Sent } from "./receiver.ts";

/** Operations that have sent nothing before the source takes a turn. */
const MOST_KEPT = 1024;
/** The same of an asynchronous source, ms: a turn of the event loop takes longer. */
const TURN_MS = 2;

/** Operations among PEs, as seen by one of them. */
export class OperationSession {
  /** The state that is under way. */
  readonly life: Life = new Life();
  readonly #belt: OperationBelt;
  readonly #quiet: QuietSession;
  readonly #room = new Room();
  readonly #receivers: OperationReceiver[] = [];
  /** The driver of the session of an asynchronous source. */
  #loopDriver: EventLoopDriver | null = null;
  /** The source has returned. */
  #isFlushing = false;
  /** Operations that have sent nothing since the source has taken a turn for them. */
  #kept = 0;
  /** The waits for a turn of an asynchronous session. */
  #onTurn: (() => void)[] = [];
  /** When the source has waited for one, ms. */
  #turned = Number.NEGATIVE_INFINITY;

  constructor(belt: OperationBelt) {
    this.#belt = belt;
    this.#quiet = new QuietSession(belt, null);
  }

  get mayBlock(): boolean {
    return this.#belt.mayBlock;
  }

  get rank(): number {
    return this.#belt.rank;
  }

  get size(): number {
    return this.#belt.size;
  }

  /** Bytes of a buffer: what an operation may have without being sent beside it. */
  get bufferBytes(): number {
    return this.#belt.bufferBytes;
  }

  /** Whether an operation may be sent now. */
  get isSending(): boolean {
    return this.#quiet.isSending;
  }

  /** Whether what is sent now may be kept back until {@link OperationReceiver.flushing}: in sources. */
  get isCombining(): boolean {
    return !this.#isFlushing && this.#quiet.isSending && !this.#quiet.isHanding;
  }

  /** @returns the number of the container */
  add(receiver: OperationReceiver): number {
    return this.#receivers.push(receiver) - 1;
  }

  /** Removes what this PE has in all containers. */
  clear(): void {
    for (const receiver of this.#receivers) receiver.clear();
  }

  /** Begins an operation: its key and arguments go into the scratch. @param head container + 256 * operation */
  begin(head: number): Scratch {
    const { scratch } = this.#belt;
    const { u32 } = scratch.views;
    u32[0] = head;
    // between the head and a key that is aligned to 8 bytes
    u32[1] = 0;
    scratch.at = OPERATION_HEAD;
    return scratch;
  }

  /**
   * Sends the operation that is in the scratch. In a synchronous source it waits for room, in what handles an operation
   * never.
   * @param call for messages
   * @returns of an asynchronous source a promise if there is no room
   * @throws StateError outside a session
   */
  send(dest: number, call: string): Sent {
    const quiet = this.#quiet;
    const loopDriver = this.#loopDriver;
    // what the source has sent before goes first; what a handler sends need not wait for it
    const isFirst = loopDriver === null || quiet.isHanding || loopDriver.isClear;
    if (quiet.isClear && isFirst && this.#belt.pushScratch(dest)) return undefined;
    return this.#sendLater(dest, call);
  }

  #sendLater(dest: number, call: string): Sent {
    const quiet = this.#quiet;
    const belt = this.#belt;
    this.checkSending(call);
    const { views, at } = belt.scratch;
    if (quiet.isHanding) {
      quiet.hold(dest, [views.u8.subarray(0, at)]);
      return undefined;
    }
    // the next operation is put together in the same place
    const bytes = views.u8.slice(0, at);
    const push = () => quiet.isClear && belt.push(dest, bytes);
    if (this.#loopDriver !== null) return this.#loopDriver.push(call, push);
    do this.#room.wait();
    while (!push());
    return undefined;
  }

  /**
   * After operations that have sent nothing, as they were combined or stay at this PE: now and then the source takes a
   * turn all the same, as it would where there is no room. Other PEs wait for that, and so do the limits of the
   * session.
   * @returns as {@link send}
   */
  keep(operations = 1): Sent {
    this.#kept += operations;
    if (this.#kept < MOST_KEPT) return undefined;
    this.#kept = 0;
    return this.#takeTurn();
  }

  #takeTurn(): Sent {
    const quiet = this.#quiet;
    if (quiet.isHanding) return undefined;
    if (this.#loopDriver === null) {
      this.#belt.works = true;
      try {
        this.#room.wait();
      } finally {
        this.#belt.works = false;
      }
      return undefined;
    }
    if (quiet.now() - this.#turned < TURN_MS) return undefined;
    return new Promise((resolve) => {
      this.#onTurn.push(resolve);
    });
  }

  /** After each turn of an asynchronous session. */
  #serve(): void {
    this.#quiet.handBy(() => this.#handle());
    if (this.#onTurn.length === 0) return;
    this.#turned = this.#quiet.now();
    for (const resolve of this.#onTurn.splice(0)) resolve();
  }

  /** Runs a session. @param containers for the source @throws as Containers.run */
  run<C>(source: (containers: C, turn: () => void) => unknown, containers: C, limits: PartialLimits): void {
    if (typeof source !== "function" || isAsync(source)) {
      throw new UsageError(
        `run: expected a function that does not await, got ${shortText(source)}. An asynchronous one is for runAsync.`,
      );
    }
    this.#start("run", limits);
    const whole = (_: null, turn: () => void): unknown => {
      const returned = source(containers, turn);
      this.#isFlushing = true;
      for (const receiver of this.#receivers) for (const _sent of receiver.flushing?.() ?? []);
      return returned;
    };
    try {
      runQuietly(this.#quiet, whole as never, this.#room, null, () => this.#handle(), INSTEAD);
    } finally {
      this.#over();
    }
  }

  /** The same without blocking the thread. */
  async runAsync<C>(source: (containers: C) => unknown, containers: C, limits: PartialLimits): Promise<void> {
    if (typeof source !== "function") {
      throw new UsageError(`runAsync: expected a function async (…) => { … }, got ${shortText(source)}`);
    }
    this.#start("runAsync", limits);
    const loopDriver = new EventLoopDriver(this.#quiet);
    const body = async (): Promise<void> => {
      await source(containers);
      this.#isFlushing = true;
      for (const receiver of this.#receivers) {
        for (const full of receiver.flushing?.() ?? []) if (full !== undefined) await full;
      }
    };
    try {
      await loopDriver.begin();
      this.#loopDriver = loopDriver;
      await runAsyncSession(loopDriver, body, () => this.#serve());
    } finally {
      this.#loopDriver = null;
      this.#quiet.close();
      this.#over();
    }
  }

  #over(): void {
    this.#onTurn = [];
    this.life.isRunning = false;
    this.#belt.scratch.shrink();
  }

  #start(call: string, limits: PartialLimits): void {
    this.life.checkIdle(call);
    this.#belt.rehearse();
    this.#belt.limitNext(limits);
    this.life.isRunning = true;
    this.#isFlushing = false;
  }

  /** Carries out the operations that have come. */
  #handle(): void {
    this.#belt.handOut(this.#receivers);
  }

  /** @throws StateError unless an operation may be sent */
  checkSending(call: string): void {
    this.life.checkAlive(call);
    this.#quiet.checkSending(call);
  }

  stats(): ConveyorStats & { readonly held: number } {
    return { ...this.#belt.stats(), held: this.#quiet.backlog.most };
  }

  free(): void {
    this.#belt.free();
    this.life.isFreed = true;
  }

  /** As {@link free}, where that is possible. */
  [Symbol.dispose](): void {
    this.#belt[Symbol.dispose]();
    this.life.isFreed = true;
  }
}

/** Advice for a source or a visitor that awaits. */
export const INSTEAD =
  "a visitor must return at once and send later what is not ready yet; an asynchronous source uses runAsync().";

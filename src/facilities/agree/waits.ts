/** Waiting for what comes of messages: with the thread blocked, or by one loop that all async calls of a member share. */

import type { AsyncResource } from "node:async_hooks";
import { AbortedError, TimeoutError } from "../../ground/base/errors.ts";
import { contextNow } from "../../ground/base/event-loop/context.ts";
import { queueMicrotask } from "../../ground/base/event-loop/timers.ts";
import { callback, checkOptions } from "../../ground/base/options.ts";
import { onAbort } from "../../ground/wait/abort.ts";
import { WAIT } from "../../ground/wait/options.ts";
import { joined, type Members, type MemberWait, waitedText } from "../messages/members.ts";

/** How long a call waits. */
export interface WaitLimits {
  /** Milliseconds; no limit unless told. */
  readonly timeout?: number | undefined;
}

export interface AsyncWaitLimits extends WaitLimits {
  readonly signal?: AbortSignal | undefined;
}

/** @throws UsageError */
export function checkLimits(limits: AsyncWaitLimits | undefined): void {
  if (limits !== undefined) checkOptions("options", WAIT, limits);
}

/** What is advanced. */
export interface Advancing {
  /** @returns whether something happened */
  advance(): boolean;
  /** Milliseconds until it has something to do even if no message comes. */
  readonly idleFor: number;
  /** Members whose answers are due, by rank. */
  readonly awaited: readonly number[];
}

/** What is waited for. */
export interface Pending {
  readonly done: boolean;
}

/** An async call that waits. */
interface Waiting {
  /** Asks functions of the user in the context of the call. */
  readonly context: AsyncResource;
  readonly what: MemberWait;
  /** Its error ends this call alone. */
  readonly isDone: () => boolean;
  /** When it ends in any case. */
  readonly deadline: number;
  readonly wake: () => void;
  readonly fail: (error: unknown) => void;
}

/** How long async calls advance without letting others run, ms. */
const TURN = 2;

export class Waits {
  readonly #members: Members;
  readonly #advancing: Advancing;
  /** What errors say: whose wait it was, and what became of the thing that it waited for. */
  readonly #name: string;
  readonly #rest: string;
  readonly #waiting: Set<Waiting> = new Set();
  /** Of the call that has made it: the loop calls the state machine in it. */
  readonly #context = contextNow();
  #runs = false;
  #kicked = false;
  #ended = false;
  /** What has ended it while nobody called. */
  #failure: Error | null = null;

  constructor(members: Members, advancing: Advancing, name: string, rest: string) {
    this.#members = members;
    this.#advancing = advancing;
    this.#name = name;
    this.#rest = rest;
  }

  /** Blocks the thread until it is done. @throws UsageError, TimeoutError */
  wait(pending: Pending, limits?: WaitLimits): void {
    checkLimits(limits);
    const { timeout = Infinity } = limits ?? {};
    const what = this.#what("wait");
    const deadline = what.since + timeout;
    while (!pending.done) {
      if (this.#advancing.advance()) continue;
      const left = deadline - this.#members.now;
      if (left <= 0) throw this.#tooLate(timeout, what);
      this.#members.wait(Math.min(left, this.#advancing.idleFor), what);
    }
  }

  /** @param call its name */
  #what(call: string): MemberWait {
    const advancing = this.#advancing;
    const awaited = () => (call.startsWith("serve") ? [] : advancing.awaited);
    return {
      call: `${call} of the ${this.#name}`,
      since: this.#members.now,
      get awaited() {
        return awaited();
      },
    };
  }

  /** As {@link wait}, without blocking. @throws AbortedError too */
  async waitAsync(pending: Pending, limits?: AsyncWaitLimits): Promise<void> {
    const isDone = () => pending.done;
    await this.#limited("waitAsync", isDone, isDone, limits);
  }

  /**
   * Advances, blocking the thread, until `until` is true, which is asked after each advance, or {@link end}.
   * @throws UsageError, TimeoutError
   */
  serve(until: () => boolean, limits?: WaitLimits): void {
    checkOptions("until", callback, until);
    checkLimits(limits);
    const { timeout = Infinity } = limits ?? {};
    const what = this.#what("serve");
    const deadline = what.since + timeout;
    while (!this.#ended && !until()) {
      const busy = this.#advancing.advance();
      if (busy && timeout === Infinity) continue;
      const left = deadline - this.#members.now;
      if (left <= 0) throw this.#tooLate(timeout, what);
      if (!busy) this.#members.wait(Math.min(left, this.#advancing.idleFor), what);
    }
  }

  /** As {@link serve}, without blocking. @throws AbortedError too */
  async serveAsync(until: () => boolean, limits?: AsyncWaitLimits): Promise<void> {
    checkOptions("until", callback, until);
    let done = false;
    const ask = () => {
      done = until();
      return done;
    };
    await this.#limited("serveAsync", ask, () => done || (this.#ended && this.#failure === null), limits);
  }

  /** All that wait are done. */
  end(): void {
    this.#ended = true;
    this.look();
  }

  /** Wakes those that are done. */
  look(): void {
    const { now } = this.#members;
    for (const waiting of this.#waiting) {
      try {
        if (!this.#ended && !waiting.context.runInAsyncScope(waiting.isDone) && now < waiting.deadline)
          continue;
      } catch (error) {
        waiting.fail(error);
      }
      this.#waiting.delete(waiting);
      waiting.wake();
    }
  }

  #tooLate(timeout: number, what: MemberWait): TimeoutError {
    const told = waitedText(this.#members, what);
    return new TimeoutError(`${this.#name}: nothing came within ${timeout} ms. ${this.#rest} ${told}`);
  }

  /** @param call its name @param isOver whether all is well when the wait has ended */
  async #limited(
    call: string,
    isDone: () => boolean,
    isOver: () => boolean,
    limits: AsyncWaitLimits | undefined,
  ): Promise<void> {
    checkLimits(limits);
    const { timeout = Infinity, signal } = limits ?? {};
    const what = this.#what(call);
    const unwatch = onAbort(signal, () => this.look());
    try {
      await this.#until(() => isDone() || signal?.aborted === true, what.since + timeout, what);
    } finally {
      unwatch();
    }
    if (isOver()) return;
    if (this.#failure !== null) throw this.#failure;
    if (signal?.aborted !== true) throw this.#tooLate(timeout, what);
    throw new AbortedError(`${this.#name}: the wait was aborted. ${this.#rest}`, { cause: signal.reason });
  }

  #until(isDone: () => boolean, deadline: number, what: MemberWait): Promise<void> {
    return new Promise((wake, fail) => {
      this.#waiting.add({ what, context: contextNow(), isDone, deadline, wake, fail });
      this.#kick();
      if (!this.#runs) this.#context.runInAsyncScope(() => void this.#run());
    });
  }

  /** The loop may be waiting. What begins in one turn of the program goes out in one message. */
  #kick(): void {
    if (this.#kicked) return;
    this.#kicked = true;
    queueMicrotask(() => {
      this.#kicked = false;
      this.#context.runInAsyncScope(() => this.#turn());
    });
  }

  /** Advances as long as there is something to do, and not for long. @returns whether there is more */
  #turn(): boolean {
    const end = this.#members.now + TURN;
    let busy = true;
    try {
      while (busy && !this.#ended && this.#waiting.size > 0) {
        busy = this.#advancing.advance();
        this.look();
        if (this.#members.now >= end) break;
      }
    } catch (error) {
      this.#fail(error as Error);
    }
    return busy;
  }

  #fail(error: Error): void {
    if (this.#ended) return;
    this.#failure = error;
    this.end();
  }

  async #run(): Promise<void> {
    this.#runs = true;
    while (this.#waiting.size > 0) {
      const busy = this.#turn();
      if (this.#waiting.size === 0) break;
      let next = this.#members.now + this.#advancing.idleFor;
      for (const { deadline } of this.#waiting) next = Math.min(next, deadline);
      try {
        const ms = busy ? 0 : Math.max(0, next - this.#members.now);
        await this.#members.waitAsync(ms, joined([...this.#waiting].map(({ what }) => what)));
      } catch (error) {
        this.#fail(error as Error);
      }
      this.look();
    }
    this.#runs = false;
  }
}

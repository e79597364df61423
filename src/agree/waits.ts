/** Waiting for what comes of messages: with the thread blocked, or by one loop that all async calls of a member share. */
import { AbortedError, TimeoutError } from "../base/errors.ts";
import type { Members } from "../point-to-point/members.ts";

/** How long a call waits. */
export interface WaitLimits {
  /** Milliseconds; Infinity unless told. */
  readonly timeout?: number | undefined;
}

export interface AsyncWaitLimits extends WaitLimits {
  readonly signal?: AbortSignal | undefined;
}

/** What is advanced. */
export interface Advancing {
  /** @returns whether something happened */
  advance(): boolean;
  /** Milliseconds until it has something to do even if no message comes. */
  readonly idleFor: number;
}

/** What is waited for. */
export interface Pending {
  readonly done: boolean;
}

/** An async call that waits. */
interface Waiting {
  readonly isDone: () => boolean;
  /** When it ends in any case. */
  readonly deadline: number;
  readonly wake: () => void;
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

  /** Blocks the thread until it is done. @throws TimeoutError */
  wait(pending: Pending, { timeout = Infinity }: WaitLimits = {}): void {
    const deadline = this.#members.now + timeout;
    while (!pending.done) {
      if (this.#advancing.advance()) continue;
      const left = deadline - this.#members.now;
      if (left <= 0) throw this.#tooLate(timeout);
      this.#members.wait(Math.min(left, this.#advancing.idleFor));
    }
  }

  /** @throws TimeoutError, AbortedError */
  async waitAsync(pending: Pending, { timeout = Infinity, signal }: AsyncWaitLimits = {}): Promise<void> {
    const look = () => this.look();
    signal?.addEventListener("abort", look);
    await this.#until(() => pending.done || signal?.aborted === true, this.#members.now + timeout);
    signal?.removeEventListener("abort", look);
    if (pending.done) return;
    if (this.#failure !== null) throw this.#failure;
    if (signal?.aborted !== true) throw this.#tooLate(timeout);
    throw new AbortedError(`${this.#name}: the wait was aborted. ${this.#rest}`, { cause: signal.reason });
  }

  /** Advances, blocking the thread, until `until` is true, which is asked after each advance, or {@link end}. */
  serve(until: () => boolean): void {
    while (!this.#ended && !until()) {
      if (!this.#advancing.advance()) this.#members.wait(this.#advancing.idleFor);
    }
  }

  /** As {@link serve}, without blocking. */
  async serveAsync(until: () => boolean): Promise<void> {
    await this.#until(until, Infinity);
    if (this.#failure !== null) throw this.#failure;
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
      if (!this.#ended && now < waiting.deadline && !waiting.isDone()) continue;
      this.#waiting.delete(waiting);
      waiting.wake();
    }
  }

  #tooLate(timeout: number): TimeoutError {
    return new TimeoutError(`${this.#name}: nothing came within ${timeout} ms. ${this.#rest}`);
  }

  #until(isDone: () => boolean, deadline: number): Promise<void> {
    return new Promise((wake) => {
      this.#waiting.add({ isDone, deadline, wake });
      this.#kick();
      if (!this.#runs) void this.#run();
    });
  }

  /** The loop may be waiting. What begins in one turn of the program goes out in one message. */
  #kick(): void {
    if (this.#kicked) return;
    this.#kicked = true;
    queueMicrotask(() => {
      this.#kicked = false;
      this.#turn();
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
        await this.#members.waitAsync(busy ? 0 : Math.max(0, next - this.#members.now));
      } catch (error) {
        this.#fail(error as Error);
      }
      this.look();
    }
    this.#runs = false;
  }
}

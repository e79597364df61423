/**
 * How calls of members that agree wait. What a call waits for comes about by advancing, so who waits advances:
 * blocking, or in one loop for all calls that are under way without blocking.
 *
 * Time is that of the members: virtual PEs wait in virtual time.
 */
import { AbortedError, TimeoutError } from "../../ground/base/errors.ts";
import { contextNow } from "../../ground/base/event-loop/context.ts";
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

/** The engine that waits advance. */
export interface Progress {
  /** @returns whether something happened */
  advance(): boolean;
  /** Milliseconds until it has something to do even if no message comes. */
  readonly idleFor: number;
  /** Members whose answers are due, by rank. */
  readonly awaited?: readonly number[];
}

/** A call that was begun. */
export interface Pending<T> {
  readonly isDone: boolean;
  /** Its result, once it is done. @throws why there is none */
  take(): T;
}

/** @param take @default it has no result */
export const pendingOf = <T = void>(isDone: () => boolean, take: () => T = () => undefined as T): Pending<T> => ({
  get isDone() {
    return isDone();
  },
  take,
});

/** Serves others until a function of the user says so, or the member is closed. @throws UsageError */
export function servingUntil(
  until: () => boolean,
  limits: AsyncWaitLimits | undefined,
  isClosed: () => boolean,
): Pending<void> {
  checkOptions("until", callback, until);
  checkLimits(limits);
  return pendingOf(() => isClosed() || until());
}

/** The description of a call. */
export interface Told {
  /** The key that it is about. */
  readonly key?: string;
  /** Whom it waits for, by rank. @default those whose answers are due */
  readonly whom?: () => readonly number[];
}

/** Whoever serves waits for nobody in particular. */
export const SERVING: Told = { whom: () => [] };

/** Words of errors and diagnoses about calls. */
export interface Words {
  /** `wait of the replica` */
  title(call: string, key: string | undefined): string;
  /** That it has waited for too long, and what that means. */
  late(call: string, timeout: number): string;
  aborted(call: string): string;
}

/** @param name whose waits they are @param rest what became of the thing that a call has waited for */
export const wordsOf = (name: string, rest: string): Words => ({
  title: (call) => `${call} of the ${name}`,
  late: (_, timeout) => `${name}: nothing came within ${timeout} ms. ${rest}`,
  aborted: () => `${name}: the wait was aborted. ${rest}`,
});

/** A call that is under way without blocking. */
interface Open {
  readonly what: MemberWait;
  readonly deadline: number;
  /** Settles the call if {@link pending} is done, or throws when it is asked. @returns whether it did */
  trySettle(): boolean;
  reject(error: unknown): void;
  late(): TimeoutError;
}

/** It may ask a function of the user. */
const isDone = (pending: Pending<unknown>): boolean => pending.isDone;

/** Turns in which something happened after which others may run. */
const TURNS = 16;

export class CallWaits {
  readonly #members: Members;
  readonly #advancing: Progress;
  readonly #words: Words;
  readonly #open = new Set<Open>();
  /** Of the call that has made it: the loop calls the state machine in it. */
  readonly #context = contextNow();
  #isRunning = false;
  /** Ends the sleep of the loop. */
  #kick: () => void = () => {};

  constructor(members: Members, advancing: Progress, words: Words) {
    this.#members = members;
    this.#advancing = advancing;
    this.#words = words;
  }

  /** Blocks the thread until it is done. @throws its error; TimeoutError */
  block<T>(call: string, pending: Pending<T>, timeout: number = Number.POSITIVE_INFINITY, told?: Told): T {
    const members = this.#members;
    const what = this.#what(call, told);
    const deadline = what.since + timeout;
    while (!pending.isDone) {
      const isBusy = this.#advancing.advance();
      if (isBusy && timeout === Number.POSITIVE_INFINITY) continue;
      const left = deadline - members.now;
      if (left <= 0 && !pending.isDone) throw this.#late(call, timeout, what);
      if (!isBusy) members.wait(Math.min(left, this.#advancing.idleFor), what);
    }
    return pending.take();
  }

  #what(call: string, { key, whom }: Told = {}): MemberWait {
    const advancing = this.#advancing;
    const words = this.#words;
    return {
      get call() {
        return words.title(call, key);
      },
      since: this.#members.now,
      get awaited() {
        return whom?.() ?? advancing.awaited ?? [];
      },
    };
  }

  /** As {@link block}, without blocking. @throws AbortedError too */
  until<T>(
    call: string,
    pending: Pending<T>,
    { timeout = Number.POSITIVE_INFINITY, signal }: AsyncWaitLimits = {},
    told?: Told,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      let unwatch = () => {};
      const end = () => {
        this.#open.delete(open);
        unwatch();
      };
      const abort = () => {
        end();
        reject(new AbortedError(this.#words.aborted(call), { cause: signal?.reason }));
        this.#kick();
      };
      const context = contextNow();
      const what = this.#what(`${call}Async`, told);
      const open: Open = {
        what,
        deadline: what.since + timeout,
        late: () => this.#late(call, timeout, what),
        trySettle() {
          try {
            if (!context.runInAsyncScope(isDone, undefined, pending)) return false;
            resolve(pending.take());
          } catch (error) {
            reject(error);
          }
          end();
          return true;
        },
        reject(error) {
          end();
          reject(error);
        },
      };
      if (signal?.aborted) return abort();
      if (open.trySettle()) return;
      unwatch = onAbort(signal, abort);
      this.#open.add(open);
      this.#kick();
      if (!this.#isRunning) this.#context.runInAsyncScope(() => void this.#run());
    });
  }

  /** Ends the calls that are under way without blocking: with an error, or as done where there is none. */
  end(error?: Error): void {
    for (const open of this.#open) {
      if (error === undefined) open.trySettle();
      else open.reject(error);
    }
    this.#kick();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // calls that are made in one go are sent in one go
    await undefined;
    for (let turns = 0; this.#open.size > 0; ) {
      const { advanced, error } = this.#tryAdvance();
      const any = this.#settle(error) || advanced;
      if (this.#open.size === 0) break;
      if (any && ++turns < TURNS) {
        // the continuations of settled calls run first
        await undefined;
        continue;
      }
      turns = 0;
      try {
        await this.#sleep(any ? 0 : this.#longest());
      } catch (error) {
        // the world has ended
        this.#settle(error);
      }
    }
    this.#isRunning = false;
  }

  #tryAdvance(): { advanced: boolean; error?: unknown } {
    try {
      return { advanced: this.#advancing.advance() };
    } catch (error) {
      return { advanced: false, error };
    }
  }

  /** Settles what is done or late, and all if advancing has failed. @returns whether there was any */
  #settle(error: unknown): boolean {
    let any = false;
    for (const open of this.#open) {
      if (!open.trySettle()) {
        if (error !== undefined) open.reject(error);
        else if (this.#members.now >= open.deadline) open.reject(open.late());
        else continue;
      }
      any = true;
    }
    return any;
  }

  #late(call: string, timeout: number, what: MemberWait): TimeoutError {
    return new TimeoutError(`${this.#words.late(call, timeout)} ${waitedText(this.#members, what)}`);
  }

  #longest(): number {
    let until = Number.POSITIVE_INFINITY;
    for (const { deadline } of this.#open) until = Math.min(until, deadline);
    return Math.max(0, Math.min(until - this.#members.now, this.#advancing.idleFor));
  }

  #sleep(ms: number): Promise<void> {
    const kicked = new Promise<void>((resolve) => {
      this.#kick = resolve;
    });
    const what = joined([...this.#open].map((open) => open.what));
    return Promise.race([this.#members.waitAsync(ms, what), kicked]);
  }
}

/**
 * How calls of a store wait. What a call waits for comes about by advancing, so who waits advances: blocking, or in one loop
 * for all calls that are under way without blocking.
 *
 * Time is that of the members: virtual PEs wait in virtual time.
 */
import { AbortedError, StateError, TimeoutError } from "../../ground/base/errors.ts";
import { contextNow } from "../../ground/base/event-loop/context.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { onAbort } from "../../ground/wait/abort.ts";
import type { WaitOptions } from "../../ground/wait/options.ts";
import { pesText } from "../../ground/wait/who.ts";
import { joined, type Members, type MemberWait, waitedText } from "../messages/members.ts";
import type { Pending } from "./engine.ts";

/** What waits advance. */
export interface Advancing {
  advance(): boolean;
  readonly idleFor: number;
  /** Replicas that calls may wait for. */
  readonly silent?: readonly number[];
  /** Replicas whose answers are due. */
  readonly awaited?: readonly number[];
}

/** What is told of a call. */
export interface Told {
  /** The key that it is about. */
  readonly key?: string;
  /** Whom it waits for, by rank. @default the replicas whose answers are due */
  readonly whom?: () => readonly number[];
}

/** A call that is under way without blocking. */
interface Open {
  readonly what: MemberWait;
  readonly deadline: number;
  /** Settles the call if {@link pending} is done, or throws when it is asked. @returns whether it did */
  trySettle(): boolean;
  reject(error: unknown): void;
  late(): TimeoutError;
}

/** `serve` asks a function of the user. */
const isDone = (pending: Pending<unknown>): boolean => pending.isDone;

/** Turns in which something happened after which others may run. */
const TURNS = 16;

export class Waits {
  readonly #members: Members;
  readonly #advancing: Advancing;
  readonly #open = new Set<Open>();
  /** Of the call that has opened the store: the loop calls its log in it. */
  readonly #context = contextNow();
  #isRunning = false;
  /** Ends the sleep of the loop. */
  #kick: () => void = () => {};

  constructor(members: Members, advancing: Advancing) {
    this.#members = members;
    this.#advancing = advancing;
  }

  /** Blocks the thread until it is done. @throws its error; TimeoutError */
  block<T>(call: string, pending: Pending<T>, timeout: number, told?: Told): T {
    const members = this.#members;
    const what = this.#what(call, told);
    const deadline = what.since + timeout;
    while (!pending.isDone) {
      if (this.#advancing.advance()) continue;
      const left = deadline - members.now;
      if (left <= 0) throw this.#late(call, timeout, what);
      members.wait(Math.min(left, this.#advancing.idleFor), what);
    }
    return pending.take();
  }

  #what(call: string, { key, whom }: Told = {}): MemberWait {
    const advancing = this.#advancing;
    return {
      get call() {
        return `${call}${key === undefined ? "" : ` of ${shortText(key)}`} in the store`;
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
    { timeout = Number.POSITIVE_INFINITY, signal }: WaitOptions,
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
        reject(
          new AbortedError(`${call}: aborted. A write may still take effect, once.`, {
            cause: signal?.reason,
          }),
        );
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

  /** Ends all calls that are under way without blocking. */
  end(): void {
    for (const open of this.#open) open.reject(new StateError("store: it was closed meanwhile."));
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
    const { silent = [] } = this.#advancing;
    const [was, they] = silent.length === 1 ? ["was", "it"] : ["were", "they"];
    const who = silent.length === 0 ? "Another replica" : `${pesText(silent)} ${was} silent: ${they}`;
    return new TimeoutError(
      `${call}: no reply in ${timeout} ms. A write may still take effect, once. ${who} may be in a call that does not serve the store, such as a barrier. ` +
        waitedText(this.#members, what),
    );
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

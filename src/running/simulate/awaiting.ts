/**
 * Awaiting programs: async functions that run on a virtual PE.
 *
 * Each await of such a program is a wait of its PE. The machine looks at the waits of a PE when something has happened
 * for it, settles those that are over, and then lets the program run until it waits again or ends: until then virtual
 * time stands still. So the program may also await what is no call of its PE, such as a file.
 *
 * There are waits that poll, as conveyors do, and conditions, which something makes true that wakes the PE.
 *
 * Limits: a program that awaits a file and a call of its PE at once runs on in an order that depends on the file.
 */

import type { AsyncResource } from "node:async_hooks";
import { TimeoutError, type TundishError, WorldClosedError } from "../../ground/base/errors.ts";
import { contextNow } from "../../ground/base/event-loop/context.ts";
import { clearInterval, monotonic, setImmediate, setInterval } from "../../ground/base/event-loop/timers.ts";
import type { ToldWait } from "../../ground/wait/told.ts";
import type { WaitingCall } from "../../ground/wait/watcher.ts";

/** Longest time that a program may await something else than its PE, ms of real time. */
const LONGEST_MS = 60_000;
/** Interval of looks at that, ms. */
const LOOK_MS = 500;

/** The condition that a PE waits for. */
export interface Wait {
  /** Whether it is over. What it throws, the program gets. */
  ready(): boolean;
  /** Whether it is looked at again and again; else something that makes it true wakes the PE. */
  readonly polls: boolean;
  /** When it is over, if that is known; ns. @default not known */
  readonly dueAt?: number;
  /** Called when the PE waits in vain, as nothing will happen any more. @throws the reason, if there is one */
  verify?(): void;
  /** The team that waits, for {@link verify}. */
  readonly team?: string;
  /** The call that waits. */
  readonly calling?: WaitingCall | undefined;
  /** The only PE that can end it; -1 if it is not known. */
  readonly peer?: number;
  /** It in words; null if nothing is to be said of it. */
  told(): ToldWait | null;
}

interface Pending {
  readonly wait: Wait;
  /** Of its call: what polls calls functions of the user. */
  readonly context: AsyncResource;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const isReady = (wait: Wait): boolean => wait.ready();

/** The error of calls after the end. @param what has returned */
export const closed = (what: string): WorldClosedError =>
  new WorldClosedError(`${what} has returned, and its PEs make no calls any more: await them before.`);

/** How a program has ended. */
export interface Ended {
  readonly failed: boolean;
  /** Its result, or what it has thrown. */
  readonly value: unknown;
}

/** The program of one PE. */
export class AwaitingProgram {
  /** null while it runs. */
  ended: Ended | null = null;
  /** Whether the last look was at a wait that polls. */
  polled = false;
  readonly #rank: number;
  #main: (() => unknown) | null;
  readonly #within: <T>(run: () => T) => T;
  readonly #pending = new Set<Pending>();
  /** Called when the program waits again, or has ended. */
  #onCall: () => void = () => {};

  /** @param main the program, called at the first look @param within calls what calls functions of the program */
  constructor(rank: number, main: () => unknown, within: <T>(run: () => T) => T = (run) => run()) {
    this.#rank = rank;
    this.#main = main;
    this.#within = within;
  }

  /** Resolves when `ready` is true; it is called again and again. @param told see Wait */
  until(ready: () => boolean, told: () => ToldWait | null = () => null): Promise<void> {
    return this.add({ ready, polls: true, told });
  }

  /** Resolves when a wait is over. @throws WorldClosedError once the program has returned, as nobody looks then */
  add(wait: Wait): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.ended !== null) throw closed(`PE ${this.#rank}'s program`);
      this.#pending.add({ wait, context: contextNow(), resolve, reject });
      this.#onCall();
    });
  }

  /** Settles the waits that are over. @returns whether the program runs on */
  look(termination: TundishError | null): boolean {
    this.polled = false;
    return this.#within(() => this.#look(termination));
  }

  #look(termination: TundishError | null): boolean {
    if (this.#main !== null) {
      this.#start(this.#main);
      return true;
    }
    let any = false;
    for (const pending of this.#pending) {
      const { wait, context, resolve, reject } = pending;
      if (wait.polls) this.polled = true;
      try {
        if (termination !== null && !wait.polls) throw termination;
        if (!context.runInAsyncScope(isReady, undefined, wait)) continue;
        resolve();
      } catch (error) {
        reject(error);
      }
      this.#pending.delete(pending);
      any = true;
    }
    return any;
  }

  #start(main: () => unknown): void {
    this.#main = null;
    const end = (failed: boolean) => (value: unknown) => {
      this.ended = { failed, value };
      this.#onCall();
    };
    new Promise((resolve) => resolve(main())).then(end(false), end(true));
  }

  /** Whether one of its waits polls. */
  get isPolling(): boolean {
    for (const { wait } of this.#pending) if (wait.polls) return true;
    return false;
  }

  /** When the first of its waits is over whose end is known, ns. */
  get dueAt(): number {
    let due = Number.POSITIVE_INFINITY;
    for (const { wait } of this.#pending) due = Math.min(due, wait.dueAt ?? due);
    return due;
  }

  /** The present condition. */
  get waits(): readonly Wait[] {
    return [...this.#pending].map(({ wait }) => wait);
  }

  /** Waits until the program waits for its PE again, or has ended, or it is in vain. @throws TimeoutError */
  async settled(inVain: () => boolean): Promise<void> {
    // the continuations of settled waits run before
    await new Promise(setImmediate);
    if (!this.#isAway || inVain()) return;
    await new Promise<void>((resolve, reject) => {
      const until = monotonic() + LONGEST_MS;
      const timer = setInterval(() => {
        if (monotonic() < until) return;
        finish();
        reject(this.#tooLong());
      }, LOOK_MS);
      const finish = () => {
        this.#onCall = () => {};
        clearInterval(timer);
      };
      this.#onCall = () => {
        finish();
        resolve();
      };
    });
    await this.settled(inVain);
  }

  /** Whether it waits for nothing of its PE. */
  get #isAway(): boolean {
    return this.ended === null && this.#pending.size === 0;
  }

  #tooLong(): TimeoutError {
    return new TimeoutError(
      `PE ${this.#rank} has awaited something else than its own calls for ${LONGEST_MS / 1000} s of real time. Virtual time ` +
        "stands still meanwhile: a promise that another PE of the simulation settles is never settled.",
    );
  }
}

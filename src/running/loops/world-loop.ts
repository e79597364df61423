/** A loop that a program outside the PEs has begun, until its promise is settled. */

import { abortedBy } from "../../facilities/loop/chunks/options.ts";
import { inOrder, type Runs } from "../../facilities/loop/map-each.ts";
import type { CallSite } from "../../ground/base/call-site/call-site.ts";
import { decodeThrown } from "../../ground/base/error-data.ts";
import { AbortedError, TimeoutError, WorldClosedError } from "../../ground/base/errors.ts";
import { clearTimeout, setTimeout } from "../../ground/base/event-loop/timers.ts";
import { onAbort } from "../../ground/wait/abort.ts";
import type { LoopOrder, LoopReport } from "./orders.ts";
import type { WorldLoopOptions } from "./types.ts";

/** As the PEs' own loops give for the chunk that they are in. */
const LEAST_GRACE_MS = 1000;

/** What is known of a loop at its call. */
export interface LoopPlan {
  readonly order: Omit<LoopOrder, "number">;
  readonly count: number;
  /** PEs of the world. */
  readonly pes: number;
  readonly limits: Pick<WorldLoopOptions, "signal" | "timeout" | "onProgress">;
  readonly site: CallSite;
}

/** Who carries it out. */
export interface LoopOwner {
  /** Ends it early. @returns false if it has not begun: it never will */
  cancel(loop: WorldLoop): boolean;
  /** Ends the PEs, as they do not leave it. @param reason why it was to end */
  abandon(reason: Error): void;
}

/** One of them. */
export class WorldLoop {
  readonly order: Omit<LoopOrder, "number">;
  /** Its result. */
  readonly result: Promise<unknown>;
  /** Resolves when the PEs do nothing for it any more. */
  readonly over: Promise<void>;
  readonly #plan: LoopPlan;
  readonly #owner: LoopOwner;
  readonly #runs: Runs[] = [];
  #end: { readonly value: number | undefined } | null = null;
  /** What has cancelled it. */
  #reason: Error | null = null;
  #isSettled = false;
  readonly #unwatch: () => void;
  #timer: NodeJS.Timeout | undefined;
  #resolve!: (value: unknown) => void;
  #reject!: (error: unknown) => void;
  #leave!: () => void;

  constructor(plan: LoopPlan, owner: LoopOwner) {
    this.#plan = plan;
    this.#owner = owner;
    this.order = plan.order;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.over = new Promise((resolve) => {
      this.#leave = resolve;
    });
    const { call } = plan.order.loop;
    const { signal, timeout } = plan.limits;
    const abort = () => this.#cancel(abortedBy(call, signal as AbortSignal));
    this.#unwatch = onAbort(signal, abort);
    if (signal?.aborted) abort();
    if (this.#isSettled || timeout === undefined || timeout > 2 ** 31 - 1) return;
    this.#timer = setTimeout(() => {
      const expected = `${call}: expected the loop to end within ${timeout} ms, the wait for those before it included. `;
      const late = new TimeoutError(`${expected}Give it more time, or less to do; what has been done is not undone.`);
      this.#cancel(late);
      if (this.#isSettled) return;
      this.#timer = setTimeout(() => this.#owner.abandon(late), Math.max(LEAST_GRACE_MS, timeout));
    }, timeout);
  }

  /** @returns whether it has ended */
  hear(said: LoopReport): boolean {
    if (this.#isSettled) return true;
    if ("error" in said) return this.fail(decodeThrown(said.error));
    if ("done" in said) {
      const { count, limits } = this.#plan;
      // the end is told when it has come
      if (said.done < count) this.#call(() => limits.onProgress?.(said.done, count));
      return false;
    }
    if ("runs" in said) this.#runs.push(said.runs);
    else this.#end = said;
    return this.#finish();
  }

  /** It has failed. @returns true */
  fail(error: unknown): true {
    const isOurs = error instanceof AbortedError || error instanceof WorldClosedError;
    this.#settle(() => this.#reject(this.#plan.site.extend(isOurs ? (this.#reason ?? error) : error)));
    return true;
  }

  #finish(): boolean {
    const { order, count, pes, limits } = this.#plan;
    const { call, into } = order.loop;
    const keeps = call === "mapEach" && into === undefined;
    if (this.#end === null || (keeps && this.#runs.length < pes)) return false;
    const { value } = this.#end;
    this.#settle(() => {
      if (!this.#call(() => limits.onProgress?.(count, count))) return;
      this.#resolve(keeps ? inOrder(this.#runs, count) : (into ?? value));
    });
    return true;
  }

  /** Calls what the user gave; what that throws ends the loop. @returns whether it has thrown nothing */
  #call(one: () => void): boolean {
    try {
      one();
      return true;
    } catch (error) {
      this.#reject(error);
      this.#cancel(error as Error);
      return false;
    }
  }

  #cancel(reason: Error): void {
    this.#reason ??= reason;
    if (!this.#owner.cancel(this)) this.fail(new AbortedError("It has not begun"));
  }

  #settle(settle: () => void): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#unwatch();
    settle();
    this.#leave();
  }
}

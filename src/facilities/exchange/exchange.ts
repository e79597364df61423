/** Exchanges whose calls block the thread, or are awaited. The rest is in phases.ts, as for virtual PEs. */

import { StateError, UsageError } from "../../ground/base/errors.ts";
import { isAsync } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import { checkBlocking } from "../../ground/wait/blocking.ts";
import { untilReady } from "../../links/transport/until-ready.ts";
import { ExchangeFace } from "./face.ts";
import { AT_ONCE, type OnChunk } from "./incoming.ts";
import type { Phases } from "./phases.ts";

/** Longest time without progress after which serviceQueueAsync returns nevertheless, ms. */
const LONGEST_TURN_MS = 1;

/** Turns with progress before the event loop runs other tasks. */
const BURST = 16;

/** Makes the face of an exchange. */
export let newExchange: (phases: Phases) => Exchange;

/** Bulk data from every PE to every PE, sent by a discipline: docs/traffic.md. */
export class Exchange extends ExchangeFace {
  static {
    newExchange = (phases) => new Exchange(phases);
  }

  readonly #phases: Phases;
  /** The Async call that is not over; "" for none. A phase that ends in one would begin anew in another. */
  #awaited = "";

  private constructor(phases: Phases) {
    super(phases);
    this.#phases = phases;
  }

  /**
   * Makes progress: sends what the discipline allows, and hands out what has come. It waits for no PE; if there is
   * nothing to do it spins, yields, and sleeps for up to a millisecond.
   * @param onChunk gets each piece of a block; what it throws, this throws, and the piece is handed out again next time
   * @returns whether this PE has something to send still
   * @throws the error that ended the world; TimeoutError, AbortedError (then at all PEs)
   */
  serviceQueue(onChunk: OnChunk): boolean {
    checkBlocking(this.#phases, "serviceQueue");
    checkOnChunk("serviceQueue", onChunk);
    this.#checkAlone("serviceQueue");
    this.#phases.turn("serviceQueue", onChunk, true);
    return this.#phases.hasBacklog;
  }

  /**
   * Closes this PE's list, and makes progress until the phase is over at all PEs. Collective. The next phase begins
   * with the next call.
   * @param onChunk as for {@link serviceQueue}; what it throws ends the phase at every PE
   * @throws as serviceQueue
   */
  finish(onChunk: OnChunk): void {
    checkBlocking(this.#phases, "finish");
    checkOnChunk("finish", onChunk);
    this.#checkAlone("finish");
    this.#phases.close("finish");
    try {
      while (!this.#phases.turn("finish", onChunk, true));
    } catch (error) {
      throw this.#phases.fail(error);
    }
  }

  /** As {@link serviceQueue}, without blocking. It resolves when there was progress, or after about a millisecond. */
  async serviceQueueAsync(onChunk: OnChunk): Promise<boolean> {
    checkOnChunk("serviceQueueAsync", onChunk);
    this.#checkAlone("serviceQueueAsync");
    this.#phases.begin("serviceQueueAsync");
    await this.#progress("serviceQueueAsync", onChunk, this.#phases.now() + LONGEST_TURN_MS);
    return this.#phases.hasBacklog;
  }

  /** As {@link finish}, without blocking. */
  async finishAsync(onChunk: OnChunk): Promise<void> {
    checkOnChunk("finishAsync", onChunk);
    this.#checkAlone("finishAsync");
    this.#phases.close("finishAsync");
    try {
      while (!(await this.#progress("finishAsync", onChunk, Number.POSITIVE_INFINITY)));
    } catch (error) {
      throw this.#phases.fail(error);
    }
  }

  /** @throws StateError while an Async call is not over */
  #checkAlone(call: string): void {
    if (this.#awaited === "") return;
    throw new StateError(`${call}: ${this.#awaited} is not over at this PE; await it first.`);
  }

  /** Waits for progress, or until a time. @returns whether the phase is over */
  async #progress(call: string, onChunk: OnChunk, until: number): Promise<boolean> {
    this.#awaited = call;
    try {
      return await this.#untilProgress(call, onChunk, until);
    } finally {
      this.#awaited = "";
    }
  }

  async #untilProgress(call: string, onChunk: OnChunk, until: number): Promise<boolean> {
    let isOver = false;
    const ready = () => {
      for (let left = BURST; left > 0; left--) {
        isOver = this.#phases.turn(call, onChunk, false);
        if (isOver) return true;
        if (!this.#phases.moved) return left < BURST || this.#phases.now() >= until;
      }
      return true;
    };
    await untilReady(this.#phases, ready, () => until === Number.POSITIVE_INFINITY);
    return isOver;
  }

  /**
   * An alltoallv: part j of each PE's list arrives at PE j. Collective, a phase of its own.
   * @param parts typed arrays of one type, by rank; undefined for nothing
   * @returns by rank, what the PEs have sent to this one; an empty array for nothing
   * @throws UsageError, StateError in the middle of a phase; as finish
   */
  all<T extends TypedArray>(parts: readonly (T | undefined)[]): T[] {
    checkBlocking(this.#phases, "all");
    const taken = this.#phases.scheduleAll("all", parts);
    this.finish((chunk) => taken.take(chunk));
    return taken.result;
  }

  /** As {@link all}, without blocking. */
  async allAsync<T extends TypedArray>(parts: readonly (T | undefined)[]): Promise<T[]> {
    const taken = this.#phases.scheduleAll("allAsync", parts);
    await this.finishAsync((chunk) => taken.take(chunk));
    return taken.result;
  }
}

/** @throws UsageError unless it is a function that is not async */
export function checkOnChunk(call: string, onChunk: unknown): void {
  if (isAsync(onChunk)) {
    throw new UsageError(`${call}: expected a function that is not async, got an async one: ${AT_ONCE}`);
  }
  if (typeof onChunk === "function") return;
  throw new UsageError(`${call}: expected a function (chunk) => { … }, got ${shortText(onChunk)}`);
}

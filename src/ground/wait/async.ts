/**
 * Waiting without blocking, for the main thread and for workers that also have I/O.
 *
 * With a core for each PE a wait begins with a short spin, as most of them end within a few microseconds and a turn of
 * the event loop takes longer; but the event loop gets a turn each {@link TURN_MS}, however short all waits are. Then
 * all conditions that a thread waits for are polled, some times between turns of the event loop. Then the thread's PE
 * sleeps on its waker by Atomics.waitAsync. Wakers wake it as they wake a blocked PE (wakers.ts), so both kinds of PEs
 * can wait for each other.
 *
 * Atomics.waitAsync counts whole ms: with less it ends at once. So a condition that is to be polled more often is
 * polled between turns for {@link LINGER_MS} (where cores are shared, as long as yields pay), and then each ms. A PE
 * that never slept would keep an MPI library busy, whose lock the other PEs of the node then wait for.
 *
 * One loop polls the conditions of all calls. A condition calls functions of the user (a sink, an answer, an
 * operation): each in the context of its own call.
 *
 * `Atomics.waitAsync` does not keep a process alive (nodejs/node#61941), so a timer does while any wait is pending.
 */

import type { AsyncResource } from "node:async_hooks";
import { AbortedError, RankLostError, TimeoutError } from "../base/errors.ts";
import { contextNow, NO_CONTEXT } from "../base/event-loop/context.ts";
import { clearInterval, monotonic, setImmediate, setInterval } from "../base/event-loop/timers.ts";
import { shortText } from "../base/short-text.ts";
import type { Condition } from "./condition.ts";
import { ASLEEP_IN_ATOMICS } from "./layout.ts";
import { SideWork } from "./side-work.ts";
import type { Termination } from "./termination.ts";
import { ALL_THERE, awaitedBy, inCall, NO_REPORT, REPORT_MS, type WaitReports } from "./told.ts";
import type { Wakers } from "./wakers.ts";
import type { Watcher } from "./watcher.ts";

/** Limits of an asynchronous wait. */
export interface AsyncLimits {
  /** Time ({@link AsyncWaits.now}) at which it ends; Infinity for no limit. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  /** Called before each sleep. */
  readonly watcher: Watcher;
}

/** Waits without blocking. */
export interface AsyncWaits {
  /** Time, ms, as the deadlines of waits have it. */
  now(): number;
  /** Resolves when the condition is true. @throws as a blocking wait does, and AbortedError */
  until(condition: Condition, limits: AsyncLimits): Promise<void>;
  /** Lets timers and files have their turn, between waits that are over at once. In virtual time there are none. */
  turn(): Promise<void>;
  /**
   * After the end of the world resolves in a later event, where a program that calls again and again would let no other
   * events come.
   * @default threads have events of their own
   */
  readonly afterEnd?: () => Promise<void>;
}

interface Pending extends AsyncLimits {
  readonly condition: Condition;
  readonly context: AsyncResource;
  resolve(): void;
  reject(error: Error): void;
  departedSeen: boolean;
  readonly began: number;
  /** Its report; when that was written. */
  report: number;
  reportedAt: number;
}

/**
 * Turns of the event loop in which conditions are polled before the PE sleeps: with a core for each PE, and with more
 * PEs than cores, where the PE that makes the condition true may need this very core. With 50 turns there a barrier of
 * 4 PEs on 2 CPUs took 35 ms, with 2 turns 6 (beside other programs, at a load of 50), and four times the CPU time.
 */
const POLLS = 50;
const FEW_POLLS = 2;
/** How long a wait spins at first, ms. */
const SPIN_MS = 0.02;
/** Looks of such a spin between two looks at the clock, about 1 ns each. */
const LOOKS = 100;
/** Time after which the event loop is due a turn, ms. */
const TURN_MS = 1;
/** Longest sleep between two checks of the termination word, ms. */
const SLICE_MS = 20;
/** Shortest sleep, ms. */
const LEAST_MS = 1;
/** How long a condition that nobody wakes this PE for is polled before the PE sleeps, ms. */
const LINGER_MS = 2;

const DONE = Promise.resolve();

const isReady = (condition: Condition): boolean => condition.ready();

/** The asynchronous waits of one PE. */
export class AsyncWaiter implements AsyncWaits {
  /** What is done for other PEs while this one waits. */
  sideWork: SideWork = new SideWork();
  /** Where waits are reported in which the PE sleeps. */
  reports: WaitReports | null = null;
  readonly #rank: number;
  readonly #wakers: Wakers;
  readonly #termination: Termination;
  readonly #i32: Int32Array;
  readonly #pending = new Set<Pending>();
  #running = false;
  /** Whether there is a core for each PE, so that none waits for this one's. */
  readonly #spins: boolean;
  /** When the event loop has had its last turn, as far as is known. */
  #turned = Number.NEGATIVE_INFINITY;
  /** When a sleep ends at the latest (performance.now); Infinity for none. */
  #alarm = Number.POSITIVE_INFINITY;

  /** @param spins whether there is a core for each PE */
  constructor(rank: number, i32: Int32Array, wakers: Wakers, termination: Termination, spins = false) {
    this.#rank = rank;
    this.#spins = spins;
    this.#i32 = i32;
    this.#wakers = wakers;
    this.#termination = termination;
  }

  now(): number {
    return monotonic();
  }

  /** A sleep ends then at the latest. @param at by performance.now */
  alarm(at: number): void {
    this.#alarm = Math.min(this.#alarm, at);
  }

  until(condition: Condition, limits: AsyncLimits): Promise<void> {
    if (this.#spins && this.#pending.size === 0 && this.#spin(condition)) return DONE;
    return new Promise((resolve, reject) => {
      const context = contextNow();
      const report = { began: this.now(), report: NO_REPORT, reportedAt: 0 };
      this.#pending.add({ condition, context, ...limits, resolve, reject, departedSeen: false, ...report });
      if (!this.#running) NO_CONTEXT.runInAsyncScope(() => void this.#run());
    });
  }

  /** Waits a few microseconds without a turn of the event loop, unless one is due; whether the condition is true. */
  #spin(condition: Condition): boolean {
    const began = this.now();
    if (began - this.#turned > TURN_MS) return false;
    for (let now = began; now - began < SPIN_MS; now = this.now()) {
      if (condition.spin(LOOKS)) return true;
    }
    return false;
  }

  async #run(): Promise<void> {
    this.#running = true;
    const alive = setInterval(() => {}, 1 << 30);
    for (let idle = 0, began = 0; this.#pending.size > 0; ) {
      if (this.#settle()) {
        idle = 0;
        // the continuations of settled waits run first; they may add the next wait
        await this.turn();
        continue;
      }
      if (idle++ === 0) began = this.now();
      if (this.#pollsOn(idle, began)) await this.turn();
      else await this.#sleep();
    }
    clearInterval(alive);
    this.#running = false;
  }

  /**
   * Whether conditions are polled in another turn of the event loop. A PE that has no core for itself yields it before:
   * the PE that it waits for may need it, on this node or another one.
   */
  #pollsOn(idle: number, began: number): boolean {
    const now = this.now();
    const lingers = this.#longest() < LEAST_MS && now - began < LINGER_MS;
    if (this.#spins) return idle <= POLLS || lingers;
    if (idle > FEW_POLLS && !lingers) return false;
    const { yielding } = this.#wakers;
    yielding.look(now);
    if (yielding.pays) yielding.yield();
    return idle <= FEW_POLLS || yielding.pays;
  }

  async turn(): Promise<void> {
    await new Promise(setImmediate);
    this.#turned = this.now();
  }

  /** Settles the waits that can end; returns whether there was one. With `ask`, also those that are in vain. */
  #settle(ask = false): boolean {
    let any = this.sideWork.run();
    for (const pending of this.#pending) {
      let error: Error | undefined;
      try {
        if (!pending.context.runInAsyncScope(isReady, undefined, pending.condition)) {
          error = this.#problem(pending) ?? (ask ? complaint(pending) : undefined);
          if (error === undefined) continue;
        }
      } catch (cause) {
        error = cause as Error;
      }
      this.#pending.delete(pending);
      if (pending.report !== NO_REPORT) this.reports?.over(pending.report);
      if (error === undefined) pending.resolve();
      else pending.reject(error);
      any = true;
    }
    return any;
  }

  #problem(pending: Pending): Error | undefined {
    const { condition } = pending;
    const { peer } = condition;
    if (this.#termination.decided) return this.#termination.error();
    if (pending.signal?.aborted) {
      const { reason } = pending.signal as { reason: unknown };
      return new AbortedError(`PE ${this.#rank}'s wait was aborted: ${shortText(reason)}`, { cause: reason });
    }
    if (this.now() >= pending.deadline) {
      const { watcher } = pending;
      const others = condition.peers === undefined ? "its own earlier calls" : "PEs of other nodes";
      const own = condition.whom ?? others;
      const whom = (peer >= 0 ? `PE ${peer}` : own) + watcher.where;
      return new TimeoutError(
        `PE ${this.#rank} waited for ${whom} longer than it was given. ` +
          `${inCall(watcher, this.now() - (watcher.since ?? pending.began))}${watcher.absent() || ALL_THERE}` +
          this.#wakers.openText(watcher.members),
      );
    }
    const { losses } = this.#wakers;
    const { members } = pending.watcher;
    const missing = members === undefined ? -1 : losses.firstOf(members);
    if (missing >= 0) return losses.errorOf(missing);
    const lost = this.#wakers.firstReturned(peer, condition.peers);
    if (lost >= 0) {
      // the peer departed after everything it sent, so one more poll (or some more) settles the wait
      if (condition.isInVain?.() ?? pending.departedSeen) {
        const message = `PE ${lost} has left without the call that PE ${this.#rank} waits in.`;
        const error = losses.isLost(lost) ? losses.errorOf(lost) : new RankLostError(lost, message);
        return complaint(pending) ?? error;
      }
      pending.departedSeen = true;
    }
    return undefined;
  }

  /** How long the PE may sleep, for what it waits for, ms. */
  #longest(): number {
    let ms = Math.min(SLICE_MS, this.sideWork.pollMs);
    for (const { condition } of this.#pending) ms = Math.min(ms, condition.pollMs ?? SLICE_MS);
    return ms;
  }

  #tell(): void {
    const { reports } = this;
    if (reports === null) return;
    const now = this.now();
    for (const pending of this.#pending) {
      const { condition, watcher, report, began } = pending;
      const elapsed = now - (watcher.since ?? began);
      // as in waiter.ts
      if (elapsed < REPORT_MS) continue;
      if (report === NO_REPORT) {
        const whom = awaitedBy(watcher, condition.peer, condition.peers);
        pending.report = reports.begin(watcher, whom, elapsed, false);
      } else if (now - pending.reportedAt > REPORT_MS) {
        reports.update(report, awaitedBy(watcher, condition.peer, condition.peers));
      } else {
        continue;
      }
      pending.reportedAt = now;
    }
  }

  async #sleep(): Promise<void> {
    if (this.#settle(true)) return;
    const left = this.#alarm - this.now();
    if (left <= 0) {
      this.#alarm = Number.POSITIVE_INFINITY;
      return;
    }
    if (left < LEAST_MS) {
      await this.turn();
      return;
    }
    this.#tell();
    const word = this.#wakers.word(this.#rank);
    this.#wakers.announce(this.#rank, ASLEEP_IN_ATOMICS);
    if (this.#settle()) {
      this.#wakers.stay(this.#rank);
      return;
    }
    const ms = Math.max(LEAST_MS, Math.min(left, this.#longest()));
    const slept = Atomics.waitAsync(this.#i32, word, ASLEEP_IN_ATOMICS, ms);
    if (slept.async) {
      await slept.value;
      this.#turned = this.now();
    }
    this.#wakers.stay(this.#rank);
  }
}

/** The watcher's error for a wait, if any. */
function complaint({ watcher }: Pending): Error | undefined {
  try {
    watcher.verify();
  } catch (error) {
    return error as Error;
  }
  return undefined;
}

/**
 * Waiting, for every part of Tundish: spin, then yield, then park.
 *
 * The condition stays in the caller's loop, so that the hot path is a load and a compare:
 *
 *     if (!ready()) {
 *       let turn = 0;
 *       do turn = waiter.pause(turn, peer);
 *       while (!ready());
 *       waiter.done(turn);
 *     }
 *
 * `pause` throws when the wait must end: the world has ended, the wait's limit is exceeded, or the only peer that could
 * end it has departed. A condition that becomes true is never missed: a PE announces its sleep, polls the condition
 * once more, and only then sleeps (wakers.ts).
 *
 * Source of the structure: Agrona's IdleStrategy; spin-yield-park as in BackoffIdleStrategy.
 */

import { RankLostError, TimeoutError } from "../base/errors.ts";
import { monotonic } from "../base/event-loop/timers.ts";
import { DOUBLE_ZERO } from "../base/for-v8.ts";
import type { MayBlock } from "./blocking.ts";
import type { Condition } from "./condition.ts";
import { SideWork } from "./side-work.ts";
import type { Strategy } from "./strategy.ts";
import type { Termination } from "./termination.ts";
import { ALL_THERE, awaitedBy, inCall, NO_REPORT, REPORT_MS, type WaitReports } from "./told.ts";
import type { Wakers } from "./wakers.ts";
import type { Watcher } from "./watcher.ts";

/** Called by a waiting loop. {@link ParkingWaiter} is the one in use; tests have another. */
export interface Waiter {
  /** Number of polls of a condition before the first {@link pause}; at least 1. */
  readonly looks: number;
  /**
   * Waits for one turn.
   * @param turn 0 at first, then the last return value
   * @param peer the only PE that can make the condition true; -1 if several can
   * @param pollMs longest sleep; @default the waiter's own
   * @param condition the awaited condition; @default one that a single poll settles once the peer has departed
   * @returns the turn for the next call
   * @throws RankLostError, TimeoutError, AbortedError, WorldClosedError when the wait must end
   */
  pause(turn: number, peer: number, pollMs?: number, condition?: Condition): number;
  /** Ends a wait whose condition has become true. */
  done(turn: number): void;
}

/** What teams need of the waiter of their PE beside waits. */
export interface TeamWaiter extends Waiter, MayBlock {
  /** Limit of one wait, ms; Infinity for no limit. */
  timeout: number;
  /** Time (performance.now) at which the current call must end; Infinity for no limit. */
  deadline: number;
  /** The limit of the current call, ms; used only with a deadline. */
  given: number;
  /** Called before each sleep. */
  watcher: Watcher | null;
}

/** `Atomics.pause` if the engine has it (Node 24): tells the core that this is a spin loop. */
const relax: (() => void) | undefined = (Atomics as { pause?: () => void }).pause;

/** One in eight of the yielding turns reads the clock and the termination word, as these cost as much as a yield. */
const CLOCK_MASK = 7;

/** One in eight spinning turns does something for other PEs, which shall not wait for the end of the spins. */
const SIDE_MASK = 7;

/**
 * How long a PE that has done something for others yields before it sleeps, ms: nobody wakes it for a message of
 * another node, and a sleep takes as long.
 */
const LINGER_MS = 1;

/** Waits of one PE: spin, yield, park. */
export class ParkingWaiter implements TeamWaiter {
  readonly mayBlock: boolean = true;
  readonly looks: number;
  timeout: number = Number.POSITIVE_INFINITY;
  deadline: number = Number.POSITIVE_INFINITY;
  given: number = Number.POSITIVE_INFINITY;
  watcher: Watcher | null = null;
  /** Where waits are reported in which the PE sleeps. */
  reports: WaitReports | null = null;
  /** What is done for other PEs meanwhile. */
  sideWork: SideWork = new SideWork();
  readonly #rank: number;
  readonly #wakers: Wakers;
  readonly #termination: Termination;
  /** They change between waits only. */
  #spins: number;
  #announceAt: number;
  readonly #sliceMs: number;
  readonly #strategy: Strategy;
  /** How long the code stays cold after the first wait, ms; 0 when it is warm. */
  #coldMs: number;
  /** Time (performance.now) from which the code is warm; 0 before the first wait. */
  #coldUntil = DOUBLE_ZERO;
  #started = DOUBLE_ZERO;
  #announced = false;
  #departedSeen = false;
  /** The report of this wait; -1 if there is none. When it was written, by performance.now. */
  #report = NO_REPORT;
  #reportedAt = DOUBLE_ZERO;
  /** Side work was done since a sleep was due last; until when none is begun, and whether that is in the future. */
  #hasServed = false;
  #lingersUntil = DOUBLE_ZERO;
  #lingers = false;

  constructor(rank: number, wakers: Wakers, termination: Termination, strategy: Strategy) {
    this.#rank = rank;
    this.#wakers = wakers;
    this.#termination = termination;
    this.looks = strategy.looks;
    this.#strategy = strategy;
    const { cold } = strategy;
    this.#coldMs = cold?.ms ?? 0;
    const { spins, yields } = cold ?? strategy;
    this.#spins = spins;
    this.#announceAt = spins + yields;
    this.#sliceMs = strategy.sliceMs;
  }

  pause(turn: number, peer: number, pollMs: number = this.#sliceMs, condition?: Condition): number {
    if (turn < this.#spins) {
      if (relax !== undefined) relax();
      if ((turn & SIDE_MASK) !== SIDE_MASK || this.sideWork.isEmpty) return turn + 1;
      // whoever has something to do for others goes on with that
      return this.#serve(true) ? this.#spins : turn + 1;
    }
    return this.#slow(turn, peer, pollMs, condition);
  }

  done(turn: number): void {
    if (turn >= this.#spins) this.#finish();
  }

  #slow(turn: number, peer: number, pollMs: number, condition: Condition | undefined): number {
    // before a sleep, and after its announcement: whatever comes later wakes this PE
    if (!this.sideWork.isEmpty) this.#serve(turn < this.#announceAt || this.#lingers);
    const { yielding } = this.#wakers;
    if (turn < this.#announceAt && (turn & CLOCK_MASK) !== CLOCK_MASK && yielding.pays) {
      yielding.yield();
      return turn + 1;
    }
    const now = monotonic();
    yielding.look(now);
    if (this.#started === 0) this.#started = now;
    if (this.#termination.decided) this.#fail(this.#termination.error());
    const left = Math.min(this.timeout - (now - this.#started), this.deadline - now);
    if (left <= 0) this.#fail(new TimeoutError(this.#timeoutMessage(peer, now)));
    const { losses } = this.#wakers;
    const missing = this.watcher?.members === undefined ? -1 : losses.firstOf(this.watcher.members);
    if (missing >= 0) this.#fail(losses.errorOf(missing));
    const lost = this.#wakers.firstReturned(peer, condition?.peers);
    if (lost >= 0) {
      // the peer departed after everything it sent, so one more poll (or some more) settles the wait
      if (condition?.isInVain?.() ?? this.#departedSeen) {
        this.#ask(); // the peer may have departed after another call than this one
        this.#fail(losses.isLost(lost) ? losses.errorOf(lost) : departedError(lost, this.#rank, this.watcher));
      }
      if (!this.#departedSeen) {
        this.#departedSeen = true;
        return turn;
      }
    }
    if (turn < this.#announceAt) {
      if (yielding.pays) {
        yielding.yield();
        return turn + 1;
      }
      turn = this.#announceAt;
    }
    // what was done for others may let the caller go on, and more of it may come soon: this PE does not sleep yet
    if (this.#hasServed) this.#lingersUntil = now + LINGER_MS;
    this.#hasServed = false;
    this.#lingers = now < this.#lingersUntil && yielding.pays;
    if (this.#lingers) {
      if (this.#announced) this.#wakers.stay(this.#rank);
      this.#announced = false;
      yielding.yield();
      return turn;
    }
    if (!this.#announced) {
      this.#ask();
      this.#tell(now, peer, condition);
      this.#announced = true;
      this.#wakers.announce(this.#rank);
      return turn;
    }
    // the first sleep ends when the wait is due to be told
    const untold = now - this.#started < REPORT_MS ? REPORT_MS : Number.POSITIVE_INFINITY;
    this.#wakers.sleep(this.#rank, Math.min(left, pollMs, this.sideWork.pollMs, untold));
    this.#announced = false;
    return turn;
  }

  /** @param looksAgain see SideWork.run */
  #serve(looksAgain: boolean): boolean {
    const served = this.sideWork.run(looksAgain);
    if (served) this.#hasServed = true;
    return served;
  }

  #tell(now: number, peer: number, condition: Condition | undefined): void {
    const { reports, watcher } = this;
    if (reports === null || watcher === null) return;
    const elapsed = now - (watcher.since ?? this.#started);
    // a sleep that is soon over is told to nobody
    if (elapsed < REPORT_MS) return;
    if (this.#report === NO_REPORT) {
      this.#report = reports.begin(watcher, awaitedBy(watcher, peer, condition?.peers), elapsed, true);
    } else if (now - this.#reportedAt > REPORT_MS) {
      reports.update(this.#report, awaitedBy(watcher, peer, condition?.peers));
    } else {
      return;
    }
    this.#reportedAt = now;
  }

  #ask(): void {
    try {
      this.watcher?.verify();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #timeoutMessage(peer: number, now: number): string {
    const whom = (peer >= 0 ? ` for PE ${peer}` : "") + (this.watcher?.where ?? "");
    // a call may wait several times: once its own limit is exceeded, that is the limit to report
    const waited = now < this.deadline ? now - this.#started : this.given + (now - this.deadline);
    return (
      `PE ${this.#rank} waited${whom} for ${Math.ceil(waited)} ms, longer than it was given (waitTimeout, or the ` +
      `timeout of the call). ${inCall(this.watcher)}${this.watcher?.absent() || ALL_THERE}` +
      this.#wakers.openText(this.watcher?.members)
    );
  }

  #fail(error: Error): never {
    this.#finish();
    throw error;
  }

  #finish(): void {
    if (this.#announced) this.#wakers.stay(this.#rank);
    if (this.#report !== NO_REPORT) this.reports?.over(this.#report);
    this.#report = NO_REPORT;
    this.#announced = false;
    this.#departedSeen = false;
    this.#started = 0;
    if (this.#coldMs > 0) this.#age();
  }

  #age(): void {
    const now = monotonic();
    if (this.#coldUntil === 0) this.#coldUntil = now + this.#coldMs;
    if (now < this.#coldUntil) return;
    const { spins, yields } = this.#strategy;
    this.#coldMs = 0;
    this.#spins = spins;
    this.#announceAt = spins + yields;
  }
}

/** @param rank of the PE that waits */
function departedError(peer: number, rank: number, watcher: Watcher | null): RankLostError {
  const isOther = watcher !== null && watcher.call !== "" && !watcher.isCollective;
  const hint = isOther ? inCall(watcher).trimEnd() : "Collectives must be called by all PEs, in the same order.";
  return new RankLostError(
    peer,
    `PE ${peer} has returned from its main, or left, without the call that PE ${rank} waits in. ${hint}`,
  );
}

/** Waits in the thread itself. @throws any error that ends the wait (see {@link Waiter.pause}) */
export function block(waiter: Waiter, condition: Condition): void {
  if (condition.spin(waiter.looks)) return;
  const { peer, pollMs } = condition;
  let turn = 0;
  do turn = waiter.pause(turn, peer, pollMs, condition);
  while (!condition.ready());
  waiter.done(turn);
}

/**
 * Runs what waits with a watcher of its own, and perhaps with its own limit.
 * @param limit of all its waits together, ms. @default the waiter's, of each
 */
export function watched<T>(waiter: TeamWaiter, own: Watcher, wait: () => T, limit?: number): T {
  const { watcher, deadline, given, timeout } = waiter;
  waiter.watcher = own;
  if (limit !== undefined) {
    waiter.given = limit;
    waiter.deadline = monotonic() + limit;
    waiter.timeout = Number.POSITIVE_INFINITY;
  }
  try {
    return wait();
  } finally {
    waiter.watcher = watcher;
    waiter.deadline = deadline;
    waiter.given = given;
    waiter.timeout = timeout;
  }
}

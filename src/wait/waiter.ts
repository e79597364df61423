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
 * `pause` throws when the wait must end: the world's termination is decided, the wait's time is up, or the
 * peer that alone could end it has departed. A condition that comes true is always seen: a PE goes to
 * sleep only after it has announced that and has looked once more (wakers.ts).
 *
 * Source of the shape: Agrona's IdleStrategy; spin-yield-park as in BackoffIdleStrategy.
 */
import { RankLostError, TimeoutError } from "../base/errors.ts";
import type { Condition } from "./condition.ts";
import type { Strategy } from "./strategy.ts";
import type { Termination } from "./termination.ts";
import type { Wakers } from "./wakers.ts";

/** What a loop that waits calls; {@link ParkingWaiter} is the one in use, tests have another. */
export interface Waiter {
  /** How often a condition is looked at before the first {@link pause}; at least once. */
  readonly looks: number;
  /**
   * Spends one turn waiting.
   * @param turn 0 at first, then what the last call returned
   * @param peer the PE that alone can make the condition true; -1 when several can
   * @param napMs longest sleep; @default the waiter's own
   * @param condition what is waited for; @default something that one more look at settles when the peer has departed
   * @returns the turn to hand to the next call
   * @throws RankLostError, TimeoutError, AbortedError, WorldClosedError when the wait must end
   */
  pause(turn: number, peer: number, napMs?: number, condition?: Condition): number;
  /** Ends a wait whose condition has come true. */
  done(turn: number): void;
}

/** A call of a collective, by its numbers (collectives/team/call-words.ts). */
export interface WaitingCall {
  readonly word: number;
  readonly count: number;
  readonly root: number;
  readonly sequence: number;
  readonly inWorld: boolean;
}

/** Somebody who may know that a wait is in vain; asked before a waiter goes to sleep or gives up a PE. */
export interface Watcher {
  /** The group in which it is waited, for messages: ` in the group of PE 0, 2`; "" for the world. */
  readonly where: string;
  /** @throws when the wait must end */
  verify(): void;
  /** The call that is waited in. */
  readonly calling?: WaitingCall | undefined;
  /** Who has not come yet, in a sentence for the message of a wait that took too long; "" when not known. */
  absent(): string;
}

/** `Atomics.pause` where the engine has it (Node 24): tells the core that this is a spin loop. */
const relax: (() => void) | undefined = (Atomics as { pause?: () => void }).pause;

/** Among the turns that yield, one in eight looks at the clock and the world's termination: they cost as much. */
const CLOCK_MASK = 7;

/** Waits of one PE: spin, yield, park. */
export class ParkingWaiter implements Waiter {
  readonly looks: number;
  /** Longest time one wait may take, ms; Infinity for no limit. */
  timeout: number = Number.POSITIVE_INFINITY;
  /** Time (performance.now) by which the current call must be over; Infinity for no limit. */
  deadline: number = Number.POSITIVE_INFINITY;
  /** The time that the current call was given, ms; counts only with a deadline. */
  given: number = Number.POSITIVE_INFINITY;
  /** Who is asked before each sleep. */
  watcher: Watcher | null = null;
  /** Where the call is told in which the PE sleeps. */
  status: { wait(call: WaitingCall | null): void } | null = null;
  readonly #rank: number;
  readonly #wakers: Wakers;
  readonly #termination: Termination;
  readonly #spins: number;
  readonly #announceAt: number;
  readonly #sliceMs: number;
  #started = 0;
  #announced = false;
  #departedSeen = false;
  #told = false;

  constructor(rank: number, wakers: Wakers, termination: Termination, strategy: Strategy) {
    this.#rank = rank;
    this.#wakers = wakers;
    this.#termination = termination;
    this.looks = strategy.looks;
    this.#spins = strategy.spins;
    this.#announceAt = strategy.spins + strategy.yields;
    this.#sliceMs = strategy.sliceMs;
  }

  pause(turn: number, peer: number, napMs: number = this.#sliceMs, condition?: Condition): number {
    if (turn < this.#spins) {
      if (relax !== undefined) relax();
      return turn + 1;
    }
    return this.#slow(turn, peer, napMs, condition);
  }

  done(turn: number): void {
    if (turn >= this.#spins) this.#finish();
  }

  #slow(turn: number, peer: number, napMs: number, condition: Condition | undefined): number {
    if (turn < this.#announceAt && (turn & CLOCK_MASK) !== CLOCK_MASK) {
      this.#wakers.yield();
      return turn + 1;
    }
    const now = performance.now();
    if (this.#started === 0) this.#started = now;
    if (this.#termination.decided) this.#fail(this.#termination.error());
    const left = Math.min(this.timeout - (now - this.#started), this.deadline - now);
    if (left <= 0) this.#fail(new TimeoutError(this.#timeoutMessage(peer, now)));
    if (peer >= 0 && this.#wakers.departed(peer)) {
      // everything it sent was sent before it departed, so one more look settles it, or some more
      if (condition?.isInVain?.() ?? this.#departedSeen) {
        this.#ask(); // it may have left after another call than this one
        this.#fail(departedError(peer));
      }
      if (!this.#departedSeen) {
        this.#departedSeen = true;
        return turn;
      }
    }
    if (turn < this.#announceAt) {
      this.#wakers.yield();
      return turn + 1;
    }
    if (!this.#announced) {
      this.#ask();
      this.#tell();
      this.#announced = true;
      this.#wakers.announce(this.#rank);
      return turn;
    }
    this.#wakers.sleep(this.#rank, Math.min(left, napMs));
    this.#announced = false;
    return turn;
  }

  #tell(): void {
    if (this.#told || this.status === null) return;
    const calling = this.watcher?.calling;
    if (calling === undefined) return;
    this.#told = true;
    this.status.wait(calling);
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
    // a call may wait more than once: when its own time is up, that is what counts
    const waited = now < this.deadline ? now - this.#started : this.given + (now - this.deadline);
    return (
      `PE ${this.#rank} waited${whom} for ${Math.ceil(waited)} ms, longer than it was given (waitTimeout, or the ` +
      `timeout of the call). ${this.watcher?.absent() || ALL_THERE}`
    );
  }

  #fail(error: Error): never {
    this.#finish();
    throw error;
  }

  #finish(): void {
    if (this.#announced) this.#wakers.stay(this.#rank);
    if (this.#told) this.status?.wait(null);
    this.#told = false;
    this.#announced = false;
    this.#departedSeen = false;
    this.#started = 0;
  }
}

/** What to say of a wait that took too long when nobody is known to be missing. */
export const ALL_THERE = "Either a PE does not make the call that the others make, or it needs longer.";

function departedError(peer: number): RankLostError {
  return new RankLostError(
    peer,
    `PE ${peer} has returned from its main, or left, without the call that this PE waits in. ` +
      "Collectives must be called by all PEs, in the same order.",
  );
}

/** Waits in the thread itself. @throws whatever ends the wait (see {@link Waiter.pause}) */
export function block(waiter: Waiter, condition: Condition): void {
  if (condition.spin(waiter.looks)) return;
  const { peer, napMs } = condition;
  let turn = 0;
  do turn = waiter.pause(turn, peer, napMs, condition);
  while (!condition.ready());
  waiter.done(turn);
}

/**
 * The wait of a PE none of whose conveyors has work: it spins, yields, parks, as in every other wait.
 *
 * A PE may drive several conveyors in one loop. It has no work only when all of them have reported that, one after
 * another. So the idler counts the reports of the active conveyors, and waits for a turn once all have reported.
 */
import { monotonic } from "../../../ground/base/event-loop/timers.ts";
import type { ParkingWaiter } from "../../../ground/wait/waiter.ts";

/** Number of idle turns of one conveyor, without any report of another, after which the PE waits nevertheless. */
const LONELY_TURNS = 256;

/** Longest sleep before an alarm, ms. */
const SLICE_MS = 1;

/** A conveyor that the PE drives. */
export interface Driven {
  /** Longest sleep while it is active, ms, if no waker notifies for its events. @default as the waiter does */
  readonly pollMs?: number | undefined;
}

/** One for each PE: {@link idlerOf}. */
export class Idler {
  readonly #waiter: ParkingWaiter;
  /**
   * The active conveyors, and by the same index whether it has reported that it has no work. Arrays that keep their
   * lengths: small sessions begin often.
   */
  readonly #active: (Driven | undefined)[] = [];
  readonly #isIdle: boolean[] = [];
  #count = 0;
  /** The shortest of their longest sleeps, ms. */
  #pollMs: number | undefined;
  /** Number of conveyors that have reported. */
  #said = 0;
  #turn = 0;
  #lonely = 0;
  /** When a sleep ends at the latest (performance.now); Infinity for none. */
  #alarm = Number.POSITIVE_INFINITY;

  /** @param waiter a waiter for the idler alone */
  constructor(waiter: ParkingWaiter) {
    this.#waiter = waiter;
  }

  /** Limit of one wait, ms; Infinity for no limit. */
  get waitTimeout(): number {
    return this.#waiter.timeout;
  }

  setActive(who: Driven, active: boolean): void {
    this.busy();
    const at = this.#indexOf(who);
    const isIn = at < this.#count;
    if (active === isIn) return;
    const last = active ? this.#count++ : --this.#count;
    if (active) {
      this.#active[last] = who;
      this.#isIdle[last] = false;
    } else {
      this.#active[at] = this.#active[last];
      this.#active[last] = undefined;
    }
    // most conveyors leave it to the waiter
    if (this.#pollMs === undefined && who.pollMs === undefined) return;
    this.#pollMs = undefined;
    for (let i = 0; i < this.#count; i++) {
      const pollMs = this.#active[i]?.pollMs;
      if (pollMs !== undefined) this.#pollMs = Math.min(pollMs, this.#pollMs ?? pollMs);
    }
  }

  /** Its index; the number of active ones if it is not active. */
  #indexOf(who: Driven): number {
    let at = 0;
    while (at < this.#count && this.#active[at] !== who) at++;
    return at;
  }

  /** A sleep ends then at the latest. @param at by performance.now */
  alarm(at: number): void {
    this.#alarm = Math.min(this.#alarm, at);
  }

  /** Reports progress. */
  busy(): void {
    if (this.#turn > 0) {
      this.#waiter.done(this.#turn);
      this.#turn = 0;
    }
    if (this.#said > 0) this.#forget();
    this.#lonely = 0;
  }

  /** Reports that `who` has no work. @throws any error that ends the wait (waiter.ts) */
  idle(who: Driven): void {
    if (this.#count === 1) {
      this.wait();
      return;
    }
    const at = this.#indexOf(who);
    if (at < this.#count && !this.#isIdle[at]) {
      this.#isIdle[at] = true;
      this.#said++;
    }
    if (this.#said === this.#count) {
      this.wait();
      this.#forget();
      this.#lonely = 0;
    } else if (++this.#lonely > LONELY_TURNS) {
      // other conveyors are not advanced now; buffers for them wake this PE as well
      this.wait();
    }
  }

  /** Waits: no conveyor of the PE has work. @throws as {@link idle} */
  wait(): void {
    if (this.#alarm === Number.POSITIVE_INFINITY) {
      this.#turn = this.#waiter.pause(this.#turn, -1, this.#pollMs);
      return;
    }
    const left = this.#alarm - monotonic();
    if (left > 0) this.#turn = this.#waiter.pause(this.#turn, -1, Math.min(left, this.#pollMs ?? SLICE_MS));
    else this.#alarm = Number.POSITIVE_INFINITY;
  }

  #forget(): void {
    for (let at = 0; at < this.#count; at++) this.#isIdle[at] = false;
    this.#said = 0;
  }
}

const idlers = new WeakMap<ParkingWaiter, Idler>();

/** That of the PE whose conveyors wait so. */
export function idlerOf(turns: ParkingWaiter): Idler {
  const known = idlers.get(turns) ?? new Idler(turns);
  idlers.set(turns, known);
  return known;
}

/**
 * What a PE does when none of its conveyors has anything to do: spin, yield, park, as in every other wait.
 *
 * A PE may drive several conveyors in one loop. It has nothing to do only when all of them have said so,
 * one after the other; so it counts the sayings of those that are active, and spends a turn waiting once it
 * has heard all.
 */
import type { ParkingWaiter } from "../../wait/waiter.ts";

/** Turns without anything done by one conveyor, and nothing heard of another, before it is waited all the same. */
const LONELY_TURNS = 256;

/** What the PE drives. */
export interface Driven {
  /** Longest sleep while it is active, ms, where no waker notifies for what it waits for. @default as the waiter does */
  readonly napMs?: number | undefined;
}

/** One for each PE. */
export class Idler {
  readonly #waiter: ParkingWaiter;
  /** Those that are active; true: has said that it has nothing to do. */
  readonly #idle = new Map<Driven, boolean>();
  /** The shortest of their naps. */
  #napMs: number | undefined;
  /** How many have said so. */
  #said = 0;
  #turn = 0;
  #lonely = 0;

  /** @param waiter of the idler's own */
  constructor(waiter: ParkingWaiter) {
    this.#waiter = waiter;
  }

  /** Longest time that one wait may take, ms; Infinity for no limit. */
  get waitTimeout(): number {
    return this.#waiter.timeout;
  }

  setActive(who: Driven, active: boolean): void {
    this.busy();
    if (active) this.#idle.set(who, false);
    else this.#idle.delete(who);
    this.#napMs = undefined;
    for (const { napMs } of this.#idle.keys()) {
      if (napMs !== undefined) this.#napMs = Math.min(napMs, this.#napMs ?? napMs);
    }
  }

  /** Something was done. */
  busy(): void {
    if (this.#turn > 0) {
      this.#waiter.done(this.#turn);
      this.#turn = 0;
    }
    if (this.#said > 0) this.#forget();
    this.#lonely = 0;
  }

  /** Nothing to do for `who`. @throws what ends the wait (waiter.ts) */
  idle(who: Driven): void {
    if (this.#idle.size === 1) {
      this.wait();
      return;
    }
    if (this.#idle.get(who) === false) {
      this.#idle.set(who, true);
      this.#said++;
    }
    if (this.#said === this.#idle.size) {
      this.wait();
      this.#forget();
      this.#lonely = 0;
    } else if (++this.#lonely > LONELY_TURNS) {
      // the others are not advanced now; what comes for them wakes this PE as well
      this.wait();
    }
  }

  /** Nothing to do for the whole PE. @throws as {@link idle} */
  wait(): void {
    this.#turn = this.#waiter.pause(this.#turn, -1, this.#napMs);
  }

  #forget(): void {
    for (const who of this.#idle.keys()) this.#idle.set(who, false);
    this.#said = 0;
  }
}

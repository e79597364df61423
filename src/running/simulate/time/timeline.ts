/** Virtual time: events in order, and the random numbers and delays of a run, which its seed determines. */
import { randomNumbers } from "../../../ground/base/random.ts";
import type { Event, Recurring } from "./event.ts";
import { eventQueue } from "./queue.ts";

export class Timeline {
  /** The time of the event that runs, ns. */
  now: number = 0;
  readonly #queue = eventQueue();
  readonly #random: () => number;
  readonly #jitter: number;

  constructor(seed: number, jitter: number) {
    this.#random = randomNumbers(seed);
    this.#jitter = jitter;
  }

  /** A random number from 0 to 1, determined by the seed. */
  random(): number {
    return this.#random();
  }

  /** A delay with jitter. */
  delay(ns: number): number {
    return ns * (1 + this.#jitter * this.#random());
  }

  /** Schedules a function. */
  at(time: number, run: () => void): void {
    this.#queue.push({ time: Math.max(time, this.now), tie: this.#random(), run });
  }

  /** Schedules what is not scheduled now. */
  schedule(event: Recurring, time: number): void {
    event.time = Math.max(time, this.now);
    event.tie = this.#random();
    this.#queue.push(event);
  }

  /** The next event, whose time is now; undefined at the end. */
  next(): Event | undefined {
    const event = this.#queue.pop();
    if (event !== undefined) this.now = event.time;
    return event;
  }
}

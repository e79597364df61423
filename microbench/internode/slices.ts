/**
 * The times of one measurement, in slices of its window, by the clock of the thread that measures.
 *
 *     | not counted | slice | slice | slice | … |      the window is 24 slices, and begins when all is warm
 *
 * A slice ends with the first message after a 24th of the window; a slow network has longer ones, and the window is stretched until
 * there are three. The median of the slices is the result. Two CPUs that are now near and now far do not count here: what lies between
 * them is 0.1 us, and a message takes ten times as long.
 */

import { median } from "../../src/base/math.ts";
import { clockOverhead } from "../pairs/clock.ts";
import { quartiles } from "../pairs/statistics.ts";

/** What a thread has found, ns; 0 where it measures nothing. */
export interface Outcome {
  /** A message's time, median over the slices. */
  readonly value: number;
  /** Between the quartiles of the slices, relative. */
  readonly spread: number;
  /** The part of it that was work: of a send, or of a receive. */
  readonly busy: number;
}

export const NOTHING: Outcome = { value: 0, spread: 0, busy: 0 };

const SLICES = 24;
const FEWEST = 3;
/** What warms up before the window: V8, the MPI library, the connection. Share of the window. */
const WARM = 0.25;

/** The slices of one measurement. */
export class Slices {
  readonly #times: number[] = [];
  readonly #work: number[] = [];
  readonly #overhead: number = clockOverhead();
  readonly #length: number;
  readonly #from: number;
  readonly #until: number;
  #since = 0;
  #looks = 0;
  #messages = 0;
  #idle = 0;

  /** @param now of the clock, ns */
  constructor(now: number, windowNs: number) {
    this.#length = windowNs / SLICES;
    this.#from = now + WARM * windowNs;
    this.#until = this.#from + windowNs;
  }

  /** So many messages more have come by now, which was one look at the clock. */
  add(now: number, messages: number): void {
    if (this.#since === 0) {
      if (now >= this.#from) this.#begin(now);
      return;
    }
    this.#looks++;
    this.#messages += messages;
    if (now - this.#since < this.#length) return;
    const time = Math.max(1, now - this.#since - this.#looks * this.#overhead);
    this.#times.push(time / this.#messages);
    this.#work.push(Math.max(0, time - this.#idle) / this.#messages);
    this.#begin(now);
  }

  #begin(now: number): void {
    this.#since = now;
    this.#looks = 0;
    this.#messages = 0;
    this.#idle = 0;
  }

  /** That much of the time nothing was to be done. */
  wait(ns: number): void {
    this.#idle += ns;
  }

  isOver(now: number): boolean {
    return now > this.#until && this.#times.length >= FEWEST;
  }

  /** @param busy what the work takes, where it was measured apart */
  outcome(busy: number = median(this.#work)): Outcome {
    const { low, median: value, high } = quartiles(this.#times);
    return { value, spread: (high - low) / value, busy };
  }
}

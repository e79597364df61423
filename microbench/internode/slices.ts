/**
 * The times of one measurement, in slices of its window, by the clock of the measuring thread.
 *
 *     | not counted | slice | slice | slice | … |      the window is 24 slices, and begins when all is warm
 *
 * A slice ends with the first message after a 24th of the window; a slow network has longer ones, and the window is
 * stretched until there are three. The median of the slices is the result. The distance of two CPUs, near or far, does
 * not matter here: it is 0.1 us, and a message takes ten times as long.
 */

import { median } from "../../src/ground/base/math.ts";
import type { MpiTimes } from "../../src/machine/model/internode.ts";
import { clockOverhead } from "../pairs/clock.ts";
import { quartiles } from "../pairs/statistics.ts";

/** The result of a thread, ns; 0 if it measures nothing. */
export interface Outcome {
  /** A message's time, median over the slices. */
  readonly value: number;
  /** Relative interquartile range of the slices. */
  readonly spread: number;
  /** The part of it that is work: of a send, or of a receive. */
  readonly busy: number;
  /** Instead of the above: the result of the task `collectives`. */
  readonly collectives?: MpiTimes;
}

export const NOTHING: Outcome = { value: 0, spread: 0, busy: 0 };

const SLICES = 24;
const FEWEST = 3;
/** The part before the window, for warming up V8, the MPI library and the connection; relative to the window. */
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
  /** Of all slices. */
  #received = 0;
  #taken = 0;

  /** @param now of the clock, ns */
  constructor(now: number, windowNs: number) {
    this.#length = windowNs / SLICES;
    this.#from = now + WARM * windowNs;
    this.#until = this.#from + windowNs;
  }

  /** Reports `messages` further messages by now. */
  add(now: number, messages: number): void {
    if (this.#since === 0) {
      if (now >= this.#from) this.#begin(now);
      return;
    }
    this.#looks++;
    this.#messages += messages;
    if (now - this.#since < this.#length) return;
    const time = Math.max(1, now - this.#since - this.#looks * this.#overhead);
    this.#received += this.#messages;
    this.#taken += time;
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

  /** Reports `ns` of time without work. */
  wait(ns: number): void {
    this.#idle += ns;
  }

  /** @param messages that there must be */
  isOver(now: number, messages = 0): boolean {
    return now > this.#until && this.#times.length >= FEWEST && this.#received >= messages;
  }

  /** @param busy the work per message, if measured separately */
  outcome(busy: number = median(this.#work)): Outcome {
    const { low, median: value, high } = quartiles(this.#times);
    return { value, spread: (high - low) / value, busy };
  }

  /** With the mean of all messages in place of the median: where they come in bursts, and stalls count. */
  get mean(): Outcome {
    return { ...this.outcome(), value: this.#taken / this.#received };
  }
}

/**
 * Judges measured choices: a choice is better than the predicted best only if their quartiles do not overlap, over at
 * least {@link LEAST_RUNS} runs of each.
 *
 * Example: 10 us (9 to 11) predicted best, 8 us (7 to 8.5) another: the other one wins. With 8 us (7 to 9.5) there is
 * no difference, and the predicted best is kept.
 */
import { median, quantile } from "../../ground/base/math.ts";

/** Times of one choice, a number for each run. */
export interface TimedChoice {
  readonly times: readonly number[];
}

/** Median and quartiles. */
export interface Quartiles {
  readonly time: number;
  readonly low: number;
  readonly high: number;
}

/** The kept choice, and why. */
export interface Judgement<T extends TimedChoice> {
  readonly predicted: T;
  readonly kept: T;
  readonly fastest: T;
  /** `predicted`: the predicted best is the fastest; `no difference`: it may be; `fastest`: another one is. */
  readonly verdict: "predicted" | "no difference" | "fastest";
}

export const spreadOf = ({ times }: TimedChoice): Quartiles => ({
  time: median(times),
  low: quantile(times, 0.25),
  high: quantile(times, 0.75),
});

/** One or two runs have no quartiles to speak of: noise would win. */
export const LEAST_RUNS = 3;

/** The one with the least median. */
const fastestOf = <T extends TimedChoice>(all: readonly T[]): T =>
  all.reduce((best, one) => (spreadOf(one).time < spreadOf(best).time ? one : best));

/** @param all the predicted best first, each measured */
export function judge<T extends TimedChoice>(all: readonly [T, ...T[]]): Judgement<T> {
  const [predicted] = all;
  const fastest = fastestOf(all);
  if (fastest === predicted) return { predicted, kept: predicted, fastest, verdict: "predicted" };
  return areFew({ predicted, fastest }) || overlap(predicted, fastest)
    ? { predicted, kept: predicted, fastest, verdict: "no difference" }
    : { predicted, kept: fastest, fastest, verdict: "fastest" };
}

/** Whether there are too few runs to tell the fastest from the predicted best. */
export const areFew = ({ predicted, fastest }: Pick<Judgement<TimedChoice>, "predicted" | "fastest">): boolean =>
  Math.min(predicted.times.length, fastest.times.length) < LEAST_RUNS;

/**
 * Those that may be the fastest, and the predicted best as long as there are too few runs to judge it: more runs are
 * worth while for them, if they are several.
 * @param all the predicted best first
 */
export function closeOnes<T extends TimedChoice>(all: readonly [T, ...T[]]): readonly T[] {
  const [predicted] = all;
  const best = fastestOf(all);
  const isOpen = areFew({ predicted, fastest: best });
  return all.filter((one) => one === best || (isOpen && one === predicted) || overlap(one, best));
}

function overlap(a: TimedChoice, b: TimedChoice): boolean {
  const [one, other] = [spreadOf(a), spreadOf(b)];
  return one.low <= other.high && other.low <= one.high;
}

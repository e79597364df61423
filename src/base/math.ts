/** Summary statistics. */

/**
 * The `p`-quantile, `p` from 0 to 1. Between two values it is interpolated, as by numpy's `linear` and R's type 7. NaN
 * for no values.
 */
export function quantile(values: ArrayLike<number>, p: number): number {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * p;
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return at % 1 === 0 ? low : low + (at % 1) * (high - low);
}

/** The middle value, or the mean of the two middle values; NaN for no values. */
export const median = (values: ArrayLike<number>): number => quantile(values, 0.5);

/**
 * Between which values the median of the distribution lies, of which these are independent samples, with a probability of 95 %: by their
 * order, whatever the distribution is. The least and the greatest if there are few.
 */
export function medianBetween(values: ArrayLike<number>): readonly [low: number, high: number] {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length / 2;
  // 1.96 standard deviations of how many are below it
  const apart = 0.98 * Math.sqrt(sorted.length);
  const low = Math.max(0, Math.round(half - apart) - 1);
  return [sorted[low] ?? Number.NaN, sorted[sorted.length - 1 - low] ?? Number.NaN];
}

/** The arithmetic mean; NaN for no values. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The standard deviation of the population (divisor n), not of a sample (n - 1). */
export function standardDeviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

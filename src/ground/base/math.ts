/** Summary statistics. */

/** The `p`-quantile, `p` from 0 to 1, interpolated as by numpy's `linear` and R's type 7. NaN for no values. */
export function quantile(values: ArrayLike<number>, p: number): number {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * p;
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return at % 1 === 0 ? low : low + (at % 1) * (high - low);
}

/** The middle value, or the mean of the two middle values; NaN for no values. */
export const median = (values: ArrayLike<number>): number => quantile(values, 0.5);

/** The arithmetic mean; NaN for no values. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The standard deviation of the population (divisor n), not of a sample (n - 1). */
export function standardDeviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

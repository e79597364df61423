/** A few numbers that stand for many. */

/**
 * The value that a share `p` of the values is below, 0 to 1; between two values it is interpolated, as numpy's `linear`
 * and R's type 7. NaN for no values.
 */
export function quantile(values: ArrayLike<number>, p: number): number {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * p;
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return at % 1 === 0 ? low : low + (at % 1) * (high - low);
}

/** The middle value, or the middle between two; NaN for no values. */
export const median = (values: ArrayLike<number>): number => quantile(values, 0.5);

/** NaN for no values. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of these values themselves, not of more that they were drawn from. */
export function standardDeviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

/** The times of both forms, and what they say. */

export interface Times {
  readonly size: number;
  /** All PEs, the median of the turns. */
  readonly seconds: number;
  /** One thread, the median. */
  readonly serialSeconds: number;
  /** How many times as fast all PEs are; null on virtual PEs, whose computation takes no time. */
  readonly speedup: number | null;
  readonly [more: string]: unknown;
}

/** @returns NaN of no values */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The least size from which on, among these, all PEs are faster than one thread; null if at the largest they are not. */
export function breakEven(sizes: readonly Times[]): number | null {
  let least: number | null = null;
  for (const { size, speedup } of [...sizes].sort((a, b) => b.size - a.size)) {
    if (speedup === null || speedup <= 1) break;
    least = size;
  }
  return least;
}

/** Seconds in a unit that suits them. */
export const duration = (seconds: number): string =>
  seconds >= 1
    ? `${seconds.toFixed(2)} s`
    : seconds >= 1e-3
      ? `${(seconds * 1e3).toFixed(1)} ms`
      : `${(seconds * 1e6).toFixed(1)} us`;

/** Statistics of samples. */
import { mean, median, quantile, standardDeviation } from "../../src/ground/base/math.ts";

/** A summary of many samples. */
export interface Summary {
  readonly mean: number;
  readonly deviation: number;
}

/** Share of the largest samples that is discarded: interrupts and the like (as in Smelt). */
const TRIM = 0.1;

/**
 * Mean and standard deviation without the largest 10 % (Kaestle et al., "Machine-Aware Atomic Broadcast Trees for
 * Multicores", section 3.2; Smelt's evaluate-pairwise).
 */
export function trimmed(samples: Float64Array): Summary {
  const sorted = samples.slice().sort();
  const kept = Array.from(sorted.subarray(0, Math.max(1, Math.ceil(sorted.length * (1 - TRIM)))));
  return { mean: mean(kept), deviation: standardDeviation(kept) };
}

/** Median and quartiles. */
export function quartiles(samples: readonly number[]): { low: number; median: number; high: number } {
  const list = [...samples];
  return { low: quantile(list, 0.25), median: median(list), high: quantile(list, 0.75) };
}

/** The median, entry by entry, of matrices of one size. */
export function medianMatrix(matrices: readonly (readonly (readonly number[])[])[]): number[][] {
  return matrices[0].map((row, i) => row.map((_, j) => median(matrices.map((matrix) => matrix[i][j]))));
}

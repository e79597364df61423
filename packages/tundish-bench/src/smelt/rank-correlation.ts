/**
 * Whether two lists put the same things in the same order: Spearman's rho and Kendall's tau-b, both with ties.
 *
 * Example: predictions 10, 20, 30 and times 12, 40, 35 differ in one of three pairs: rho is 0.5, tau 1/3.
 */
import { mean } from "../../../../src/ground/base/math.ts";

/** From -1, the reverse order, to 1, the same; null where one of the lists puts nothing in an order. */
export interface RankCorrelation {
  readonly spearman: number | null;
  readonly kendall: number | null;
}

export function rankCorrelation(a: readonly number[], b: readonly number[]): RankCorrelation {
  return { spearman: pearson(ranksOf(a), ranksOf(b)), kendall: kendall(a, b) };
}

/** From 1 on; equal values have the mean of their places. */
export function ranksOf(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return below + (equal + 1) / 2;
  });
}

function pearson(a: readonly number[], b: readonly number[]): number | null {
  const [middleA, middleB] = [mean(a), mean(b)];
  let [both, ofA, ofB] = [0, 0, 0];
  for (const [i, x] of a.entries()) {
    const [dA, dB] = [x - middleA, (b[i] as number) - middleB];
    both += dA * dB;
    ofA += dA * dA;
    ofB += dB * dB;
  }
  return ofA === 0 || ofB === 0 ? null : both / Math.sqrt(ofA * ofB);
}

function kendall(a: readonly number[], b: readonly number[]): number | null {
  let [sum, inA, inB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < i; j++) {
      const signA = Math.sign((a[i] as number) - (a[j] as number));
      const signB = Math.sign((b[i] as number) - (b[j] as number));
      sum += signA * signB;
      inA += signA * signA;
      inB += signB * signB;
    }
  }
  return inA === 0 || inB === 0 ? null : sum / Math.sqrt(inA * inB);
}

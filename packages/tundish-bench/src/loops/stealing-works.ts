/** Loops whose iterations take different times, for `bench stealing`: ns of each iteration. */
import { randomNumbers } from "../../../../src/ground/base/random.ts";

export interface StealingWork {
  readonly name: string;
  /** ns of each of so many iterations; a mean of MEAN_NS. */
  costs(count: number): Float64Array;
}

const MEAN_NS = 2000;

const filled = (count: number, of: (i: number) => number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => of(i));

function scaled(all: Float64Array): Float64Array {
  const mean = all.reduce((sum, x) => sum + x, 0) / all.length;
  return all.map((x) => (x * MEAN_NS) / mean);
}

export const STEALING_WORKS: readonly StealingWork[] = [
  // the first PEs have most, and so has the first package
  { name: "triangle", costs: (count) => scaled(filled(count, (i) => count - i)) },
  // one block in sixteen, all over the machine, has ten times as much
  { name: "hot blocks", costs: (count) => scaled(filled(count, (i) => ((i >> 6) % 16 === 5 ? 10 : 1))) },
  // each iteration for itself: exponentially distributed
  {
    name: "random",
    costs: (count) => {
      const random = randomNumbers(7);
      return scaled(filled(count, () => -Math.log(1 - random())));
    },
  },
];

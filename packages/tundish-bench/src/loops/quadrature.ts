/** Adaptive quadrature, of which each half of an interval may be a task: the work of peers/c/openmp/quadrature.c. */
import type { PE } from "../../../../src/index.ts";
import { tasks } from "../../../../src/loop.ts";
import { ALONE, type LoopAnswer, QUADRATURE, type QuadratureJob } from "./job.ts";

/** Wider intervals are divided into two tasks, others by plain recursion. */
const GRAIN = 1 / 1024;
const TOLERANCE = 1e-10;

/** Narrow peaks between 0 and 1. */
function peaked(peaks: number): (x: number) => number {
  return (x) => {
    let sum = 0;
    for (let i = 1; i <= peaks; i++) {
      const d = x - i / (peaks + 1);
      sum += 1e-3 / (d * d + 1e-5);
    }
    return sum;
  };
}

/** By one PE plain recursion, by more of them tasks; the results are compared with those of plain recursion. */
export function quadrature(pe: PE, { peaks, runs }: QuadratureJob): LoopAnswer["entries"] {
  const f = peaked(peaks);
  let sum = 0;
  let intervals = 0;
  const divide = (l: number, r: number, fl: number, fr: number, whole: number, byTasks: boolean): void => {
    const m = (l + r) / 2;
    const fm = f(m);
    const left = ((fl + fm) * (m - l)) / 2;
    const right = ((fm + fr) * (r - m)) / 2;
    if (Math.abs(left + right - whole) <= TOLERANCE) {
      sum += left + right;
      intervals++;
    } else if (byTasks && r - l > GRAIN) {
      all.spawn.area(l, m, fl, fm, left);
      all.spawn.area(m, r, fm, fr, right);
    } else {
      divide(l, m, fl, fm, left, false);
      divide(m, r, fm, fr, right, false);
    }
  };
  const all = tasks(pe, {
    area(l: number, r: number, fl: number, fr: number, whole: number) {
      divide(l, r, fl, fr, whole, true);
    },
  });
  const [first, last] = [f(0), f(1)];
  const alone = (): void => divide(0, 1, first, last, (first + last) / 2, false);
  const together = (): void =>
    all.run((spawn) => {
      if (pe.rank === 0) spawn.area(0, 1, first, last, (first + last) / 2);
    });
  const [what, run] = pe.size === 1 ? [ALONE, alone] : ["tasks", together];
  alone();
  const expected = { sum, intervals };
  const samples: number[] = [];
  // the first is not counted
  for (let k = 0; k <= runs; k++) {
    sum = 0;
    intervals = 0;
    pe.barrier();
    const start = performance.now();
    run();
    if (k > 0) samples.push((performance.now() - start) * 1e6);
    const found = { sum: pe.allreduce(sum, "sum"), intervals: pe.allreduce(intervals, "sum") };
    if (found.intervals !== expected.intervals || Math.abs(found.sum - expected.sum) > 1e-9) {
      throw new Error(`${QUADRATURE}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
    }
  }
  return [{ what: `${QUADRATURE}, ${what}`, batch: 1, samples }];
}

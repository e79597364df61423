// Gradient descent: logistic regression; one allreduce a step adds up the gradients of all PEs, and all take the same step.
import { isEntry, launch, spmd } from "tundish";

/** Points: FEATURES numbers and the class, 0 or 1, of each. */
type Args = { points: Float64Array; steps: number };
type Result = { loss: number; right: number; ms: number };

const FEATURES = 16;
const WIDTH = FEATURES + 1;
const RATE = 0.5;

/** Every PE runs this function, with the same points and its own rank. */
export default spmd<Args, Result>((pe, { points, steps }) => {
  const n = points.length / WIDTH;
  const bound = (rank: number) => WIDTH * Math.floor((n * rank) / pe.size);
  const mine = points.subarray(bound(pe.rank), bound(pe.rank + 1));
  const weights = new Float64Array(FEATURES);
  const sums = new Float64Array(FEATURES + 2); // the gradient, the loss, and how many are classified right
  pe.barrier();
  const begin = performance.now();
  for (let step = 0; step < steps; step++) {
    addUp(mine, weights, sums); // of this PE's points
    pe.allreduce(sums, "sum"); // now of all points, at every PE
    for (let f = 0; f < FEATURES; f++) weights[f] -= (RATE * sums[f]) / n;
  }
  return { loss: sums[FEATURES] / n, right: sums[FEATURES + 1] / n, ms: performance.now() - begin };
});

/** The sums over some points. */
function addUp(points: Float64Array, weights: Float64Array, sums: Float64Array): void {
  sums.fill(0);
  for (let p = 0; p < points.length; p += WIDTH) {
    let product = 0;
    for (let f = 0; f < FEATURES; f++) product += weights[f] * points[p + f];
    const probability = 1 / (1 + Math.exp(-product));
    const kind = points[p + FEATURES];
    const error = probability - kind;
    for (let f = 0; f < FEATURES; f++) sums[f] += error * points[p + f];
    sums[FEATURES] -= Math.log(kind === 1 ? probability : 1 - probability);
    if (Math.abs(error) < 0.5) sums[FEATURES + 1]++;
  }
}

/** Random points on both sides of a plane, some of them on the wrong one. In memory that all threads share. */
function makePoints(n: number): Float64Array {
  const points = new Float64Array(new SharedArrayBuffer(8 * WIDTH * n));
  let seed = 1;
  const random = () => {
    seed = (48271 * seed) % 2147483647;
    return seed / 2147483647 - 0.5;
  };
  for (let p = 0; p < points.length; p += WIDTH) {
    let side = 0.3 * random();
    for (let f = 0; f < FEATURES; f++) {
      points[p + f] = 2 * random();
      side += (points[p + f] * (f - 7.5)) / 8;
    }
    points[p + FEATURES] = side > 0 ? 1 : 0;
  }
  return points;
}

// every PE imports this file as well: only the main thread starts them
if (isEntry(import.meta)) {
  const program = new URL(import.meta.url);
  const args: Args = { points: makePoints(Number(process.argv[2] ?? 200_000)), steps: 100 };
  const [alone] = await launch<Result>(program, { pes: 1, args });
  const all = await launch<Result>(program, { args }); // one PE per core
  const [{ loss, right }] = all;
  const ms = Math.max(...all.map((result) => result.ms));
  console.log(`mean loss ${loss.toFixed(4)}, ${(100 * right).toFixed(1)} % classified right`);
  console.log(`${args.steps} steps: 1 PE ${alone.ms.toFixed(0)} ms, ${all.length} PEs ${ms.toFixed(0)} ms`);
}

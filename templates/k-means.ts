// k-means on all cores: each PE has a share of the points, and one allreduce per round adds up what all have found.
import { isEntry, launch, spmd } from "tundish";

type Args = { points: Float64Array; clusters: number };
type Result = { centres: Float64Array; rounds: number; ms: number };

/** Every PE runs this function, with the same arguments and its own rank. */
export default spmd<Args, Result>((pe, { points, clusters }) => {
  const bound = (rank: number) => 2 * Math.floor(((points.length / 2) * rank) / pe.size);
  const mine = points.subarray(bound(pe.rank), bound(pe.rank + 1));
  const centres = points.slice(0, 2 * clusters); // start at the first points
  const sums = new Float64Array(3 * clusters); // of each cluster: x, y and number of its points
  pe.barrier();
  const begin = performance.now();
  let rounds = 0;
  for (let moved = Infinity; moved > 1e-6; rounds++) {
    addUp(mine, centres, sums); // the sums of this PE's points
    pe.allreduce(sums, "sum"); // now those of all points, at every PE
    moved = move(centres, sums);
  }
  return { centres, rounds, ms: performance.now() - begin };
});

/** Adds each point to the sums of the nearest centre. */
function addUp(points: Float64Array, centres: Float64Array, sums: Float64Array): void {
  sums.fill(0);
  for (let p = 0; p < points.length; p += 2) {
    let nearest = 0;
    let least = Infinity;
    for (let c = 0; 2 * c < centres.length; c++) {
      const distance = (points[p] - centres[2 * c]) ** 2 + (points[p + 1] - centres[2 * c + 1]) ** 2;
      if (distance < least) [nearest, least] = [c, distance];
    }
    sums[3 * nearest] += points[p];
    sums[3 * nearest + 1] += points[p + 1];
    sums[3 * nearest + 2]++;
  }
}

/** Moves each centre to the mean of its points, and returns the farthest move of a coordinate. */
function move(centres: Float64Array, sums: Float64Array): number {
  let farthest = 0;
  for (let i = 0; i < centres.length; i++) {
    const cluster = i >> 1;
    const count = sums[3 * cluster + 2];
    const mean = count > 0 ? sums[3 * cluster + (i & 1)] / count : centres[i];
    farthest = Math.max(farthest, Math.abs(mean - centres[i]));
    centres[i] = mean;
  }
  return farthest;
}

/** The same points in every run: x, y, x, y … around 3 x 2 places, in memory that all threads share. */
function makePoints(n: number): Float64Array {
  if (!Number.isInteger(n) || n < 6) throw new RangeError(`expected a number of points, 6 or more, got ${n}`);
  const points = new Float64Array(new SharedArrayBuffer(16 * n));
  let seed = 1;
  const random = () => {
    seed = (48271 * seed) % 2147483647;
    return seed / 2147483647;
  };
  for (let i = 0; i < n; i++) {
    points[2 * i] = (i % 3) + random() * random();
    points[2 * i + 1] = (i % 2) + random() * random();
  }
  return points;
}

// every PE imports this file as well: only the main thread starts them
if (isEntry(import.meta)) {
  const program = new URL(import.meta.url);
  const args: Args = { points: makePoints(Number(process.argv[2] ?? 2_000_000)), clusters: 6 };
  const [alone] = await launch<Result>(program, { pes: 1, args });
  const all = await launch<Result>(program, { args }); // one PE per core
  const { centres, rounds } = all[0];
  for (let i = 0; i < centres.length; i += 2) console.log(centres[i].toFixed(3), centres[i + 1].toFixed(3));
  const ms = Math.max(...all.map((result) => result.ms));
  console.log(`${rounds} rounds: 1 PE ${alone.ms.toFixed(0)} ms, ${all.length} PEs ${ms.toFixed(0)} ms`);
  console.log(`speedup ${(alone.ms / ms).toFixed(2)}`);
}

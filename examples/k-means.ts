// k-means: points fall into clusters; each PE has a share of the points, one allreduce a round adds up all.
import { isEntry, launch, type PE, type Spmd, spmd } from "tundish";
import { example, type Problem } from "./support/example.ts";
import { randomAt, share, sharedInput } from "./support/input.ts";
import { WrongOption, whole } from "./support/options.ts";
import { print } from "./support/print.ts";
import { COLOURS, element, svg } from "./support/svg.ts";

type Result = { centres: Float64Array; rounds: number };

/** Every PE runs this function, with the same points and its own rank. */
async function onAll(pe: PE, points: Float64Array, clusters: number): Promise<Result> {
  const [first, end] = share(points.length / 2, pe.rank, pe.size);
  const mine = points.subarray(2 * first, 2 * end);
  const centres = points.slice(0, 2 * clusters); // start at the first points
  const sums = new Float64Array(3 * clusters); // of each cluster: x, y and number of its points
  let rounds = 0;
  for (let moved = Infinity; moved > 1e-6; rounds++) {
    addUp(mine, centres, sums); // the sums of this PE's points
    await pe.allreduceAsync(sums, "sum"); // now those of all points, at every PE
    moved = move(centres, sums);
  }
  return { centres, rounds };
}

/** The same on one thread. */
function onOne(points: Float64Array, clusters: number): Result {
  const centres = points.slice(0, 2 * clusters);
  const sums = new Float64Array(3 * clusters);
  let rounds = 0;
  for (let moved = Infinity; moved > 1e-6; rounds++) {
    addUp(points, centres, sums);
    moved = move(centres, sums);
  }
  return { centres, rounds };
}

/** Adds each point to the sums of the nearest centre. */
function addUp(points: Float64Array, centres: Float64Array, sums: Float64Array): void {
  sums.fill(0);
  for (let p = 0; p < points.length; p += 2) {
    const c = nearest(points[p], points[p + 1], centres);
    sums[3 * c] += points[p];
    sums[3 * c + 1] += points[p + 1];
    sums[3 * c + 2]++;
  }
}

/** The centre that a point is nearest to. */
function nearest(x: number, y: number, centres: Float64Array): number {
  let best = 0;
  let least = Infinity;
  for (let c = 0; 2 * c < centres.length; c++) {
    const distance = (x - centres[2 * c]) ** 2 + (y - centres[2 * c + 1]) ** 2;
    if (distance < least) {
      best = c;
      least = distance;
    }
  }
  return best;
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

/** Point i, x and y, is in one of 3 x 2 clouds. */
function fill(points: Float64Array, first: number, end: number, seed: number): void {
  for (let i = first; i < end; i++) {
    const cloud = i % 2 === 0 ? (i / 2) % 3 : ((i - 1) / 2) % 2;
    points[i] = cloud + randomAt(seed, 2 * i) * randomAt(seed, 2 * i + 1);
  }
}

/** The first points in the colours of their clusters, and the centres. */
function draw(points: Float64Array, { centres }: Result): string {
  const place = (x: number, y: number) => ({ cx: 20 + 150 * x, cy: 320 - 150 * y });
  const dots: string[] = [];
  for (let p = 0; p < Math.min(points.length, 1800); p += 2) {
    const fill = COLOURS[nearest(points[p], points[p + 1], centres) % COLOURS.length];
    dots.push(element("circle", { ...place(points[p], points[p + 1]), r: 1.5, fill }));
  }
  for (let c = 0; c < centres.length; c += 2) {
    const ring = { r: 7, fill: "none", stroke: "currentColor", "stroke-width": 2.5 };
    dots.push(element("circle", { ...place(centres[c], centres[c + 1]), ...ring }));
  }
  return svg(490, 340, "k-means: points in the colours of their clusters, and the centres", dots);
}

const OPTIONS = {
  size: whole(1_000_000, 6, 5e7, "points"),
  clusters: whole(6, 1, 1000, "clusters, not more than points"),
};

const program: Spmd = spmd((pe, args) =>
  example(pe, args, "k-means", OPTIONS, async ({ size, clusters, seed }): Promise<Problem<Result>> => {
    if (clusters > size)
      throw new WrongOption(`--clusters: expected at most ${size}, as many as points, got ${clusters}`);
    const points = await sharedInput(pe, 2 * size, (array, first, end) => fill(array, first, end, seed));
    return {
      parallel: () => onAll(pe, points, clusters),
      serial: () => onOne(points, clusters),
      differs(found, expected) {
        const far = found.centres.findIndex((x, i) => !(Math.abs(x - expected.centres[i]) < 1e-5));
        return far < 0 ? undefined : `coordinate ${far} is ${found.centres[far]}, not ${expected.centres[far]}`;
      },
      spoil: ({ centres }) => void centres[0]++,
      tell: ({ centres, rounds }) => ({ rounds, centres: Array.from(centres, (x) => Number(x.toFixed(3))) }),
      draw: (result) => draw(points, result),
      free: () => pe.freeAsync(points),
    };
  }),
);
export default program;

// every PE imports this file as well: only the main thread starts them, one on each core
if (isEntry(import.meta)) await print(launch(new URL(import.meta.url), { args: process.argv.slice(2) }));

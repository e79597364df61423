// Gradient descent: a neural network learns to tell two spirals apart, each PE from its share of the points.
// One allreduce a step adds up all gradients, and every PE takes the same step.
import { isEntry, launch, type PE, type Spmd, spmd } from "tundish";
import { example, type Problem } from "./support/example.ts";
import { heatMap } from "./support/image.ts";
import { randomAt, share, sharedInput } from "./support/input.ts";
import { Network } from "./support/network.ts";
import { real, whole } from "./support/options.ts";
import { print } from "./support/print.ts";
import { COLOURS, element, svg, words } from "./support/svg.ts";

/** The weights after the last step, and the mean loss before each step and after the last. */
type Result = { weights: Float64Array; losses: Float64Array };
type Training = { hidden: number; steps: number; rate: number };

/** Every PE runs this function, with the same points and its own rank. */
async function onAll(pe: PE, points: Float64Array, { hidden, steps, rate }: Training): Promise<Result> {
  const [first, end] = share(points.length / 3, pe.rank, pe.size);
  const mine = points.subarray(3 * first, 3 * end);
  const network = new Network(hidden);
  const losses = new Float64Array(steps + 1);
  for (let step = 0; step <= steps; step++) {
    network.addGradient(mine); // of this PE's points
    await pe.allreduceAsync(network.gradient, "sum"); // now of all points, at every PE
    losses[step] = network.loss / (points.length / 3);
    if (step < steps) network.descend(rate, points.length / 3);
  }
  return { weights: network.weights, losses };
}

/** The same on one thread. */
function onOne(points: Float64Array, { hidden, steps, rate }: Training): Result {
  const network = new Network(hidden);
  const losses = new Float64Array(steps + 1);
  for (let step = 0; step <= steps; step++) {
    network.addGradient(points);
    losses[step] = network.loss / (points.length / 3);
    if (step < steps) network.descend(rate, points.length / 3);
  }
  return { weights: network.weights, losses };
}

/** Point p, x, y and class, is on one of two spirals. */
function fill(points: Float64Array, first: number, end: number, seed: number): void {
  for (let i = first; i < end; i++) {
    const p = Math.floor(i / 3);
    const side = p % 2 === 0 ? 1 : -1;
    const turn = 0.4 + 2 * Math.PI * Math.sqrt(randomAt(seed, 3 * p));
    const noise = 0.08 * (randomAt(seed, i + 1) - 0.5);
    if (i % 3 === 0) points[i] = (side * turn * Math.cos(turn)) / 7 + noise;
    else if (i % 3 === 1) points[i] = (side * turn * Math.sin(turn)) / 7 + noise;
    else points[i] = side;
  }
}

/** What the network says of each place, the points over it, and the loss by step. */
function draw(points: Float64Array, hidden: number, { weights, losses }: Result): string {
  const network = new Network(hidden, weights);
  const cells = 150;
  const place = (cell: number) => (2 * (cell + 0.5)) / cells - 1;
  const says = (x: number, y: number) => 1 / (1 + Math.exp(-network.forward(place(x), -place(y))));
  const parts = [heatMap(cells, 300, says)];
  const step = 3 * Math.max(1, Math.floor(points.length / 3 / 400) | 1); // odd: of both classes
  for (let p = 0; p < points.length; p += step) {
    const fill = points[p + 2] > 0 ? "#fff" : "#111";
    parts.push(
      element("circle", {
        cx: 150 + 150 * points[p],
        cy: 150 - 150 * points[p + 1],
        r: 2,
        fill,
        stroke: "#888",
      }),
    );
  }
  const most = Math.max(...losses);
  const at = (loss: number, i: number) =>
    `${(350 + (230 * i) / (losses.length - 1)).toFixed(1)},${(270 - (240 * loss) / most).toFixed(1)}`;
  parts.push(
    element("polyline", {
      points: [...losses].map(at).join(" "),
      fill: "none",
      stroke: COLOURS[0],
      "stroke-width": 2,
    }),
    element("path", { d: "M350 30V270H580", fill: "none", stroke: "currentColor" }),
    words(344, 34, most.toPrecision(2), "end"),
    words(344, 274, "0", "end"),
    words(465, 292, `mean loss after 0 to ${losses.length - 1} steps`, "middle"),
  );
  return svg(600, 300, "gradient descent: what the network says of each place, and its loss by step", parts);
}

/** Sums are in another order on several PEs: their rounding grows from step to step. */
const TOLERANCE = 1e-6;
const OPTIONS = {
  size: whole(2000, 2, 1e8, "points"),
  hidden: whole(16, 1, 256, "units of each hidden layer"),
  steps: whole(400, 1, 1e6, "steps of the descent"),
  rate: real(0.02, 1e-6, 1, "length of a step"),
};

const program: Spmd = spmd((pe, args) =>
  example(pe, args, "gradient-descent", OPTIONS, async (told): Promise<Problem<Result>> => {
    const { size, hidden, seed } = told;
    const points = await sharedInput(pe, 3 * size, (array, first, end) => fill(array, first, end, seed));
    return {
      parallel: () => onAll(pe, points, told),
      serial: () => onOne(points, told),
      differs({ weights }, expected) {
        const far = weights.findIndex((x, i) => !(Math.abs(x - expected.weights[i]) < TOLERANCE));
        return far < 0 ? undefined : `weight ${far} is ${weights[far]}, not ${expected.weights[far]}`;
      },
      spoil: ({ weights }) => void weights[0]++,
      tell: ({ weights, losses }) => ({
        "mean loss before": losses[0],
        "mean loss after": losses[losses.length - 1],
        "points on the right side": `${((100 * countRight(points, new Network(hidden, weights))) / size).toFixed(1)} %`,
      }),
      draw: (result) => draw(points, hidden, result),
      free: () => pe.freeAsync(points),
    };
  }),
);
export default program;

/** How many points are on the side where the network takes them to be. */
function countRight(points: Float64Array, network: Network): number {
  let right = 0;
  for (let p = 0; p < points.length; p += 3) if (points[p + 2] * network.forward(points[p], points[p + 1]) > 0) right++;
  return right;
}

// every PE imports this file as well: only the main thread starts them, one on each core
if (isEntry(import.meta)) await print(launch(new URL(import.meta.url), { args: process.argv.slice(2) }));

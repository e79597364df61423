// Histograms of an image, and its equalisation by them: each PE counts the values of its rows.
// One allreduce adds up the 4 x 256 counters; then each PE maps its rows to values that are spread over the whole range.
import { isEntry, launch, type PE, type Spmd, spmd } from "tundish";
import { example, type Problem } from "./support/example.ts";
import { thumbnail } from "./support/image.ts";
import { randomAt, share } from "./support/input.ts";
import { input, whole } from "./support/options.ts";
import { headOf, readRows } from "./support/ppm.ts";
import { print } from "./support/print.ts";
import { element, svg, words } from "./support/svg.ts";

/** Red, green, blue and grey by their 256 values: four histograms in one array. */
type Counts = Uint32Array;
/** Histograms before and after, and the image after: of the whole, or of a PE's rows. */
type Result = { before: Counts; after: Counts; image: Uint8Array };

/** Every PE runs this function, with its own rows of the image; `image` is where they are when they are equalised. */
async function onAll(pe: PE, rows: Uint8Array, image: Uint8Array): Promise<Result> {
  const before = count(rows);
  await pe.allreduceAsync(before, "sum"); // now of the whole image, at every PE
  equalise(rows, image, equalising(before));
  const after = count(image);
  await pe.allreduceAsync(after, "sum");
  return { before, after, image };
}

/** The same on one thread. */
function onOne(rows: Uint8Array, image: Uint8Array): Result {
  const before = count(rows);
  equalise(rows, image, equalising(before));
  return { before, after: count(image), image };
}

/** The histograms of some pixels: red, green and blue, one byte each. */
function count(pixels: Uint8Array): Counts {
  const counts = new Uint32Array(4 * 256);
  for (let i = 0; i < pixels.length; i += 3) {
    const red = pixels[i];
    const green = pixels[i + 1];
    const blue = pixels[i + 2];
    counts[red]++;
    counts[256 + green]++;
    counts[512 + blue]++;
    counts[768 + ((77 * red + 150 * green + 29 * blue) >> 8)]++; // grey, as of BT.601
  }
  return counts;
}

/** The new value of each value: how many greys are up to it, as a part of 255. */
function equalising(counts: Counts): Uint8Array {
  const greys = counts.subarray(768);
  const all = sum(greys);
  let up = 0;
  return Uint8Array.from(greys, (n) => {
    up += n;
    return Math.round((255 * up) / all);
  });
}

function equalise(pixels: Uint8Array, into: Uint8Array, values: Uint8Array): void {
  for (let i = 0; i < pixels.length; i++) into[i] = values[pixels[i]];
}

/** Rows of a dim image from a seed: hills of light with noise. */
function fill(rows: Uint8Array, width: number, height: number, first: number, seed: number): void {
  const hill = (x: number, every: number) => Math.sin((2 * Math.PI * x) / every + seed);
  for (let i = 0; i < rows.length; i += 3) {
    const pixel = first * width + i / 3;
    const x = pixel % width;
    const y = (pixel - x) / width;
    const light = 100 + 25 * hill(x, width / 1.5) * hill(y, height) + 12 * (y / height);
    const noise = 10 * randomAt(seed, pixel);
    rows[i] = light + noise + 12 * hill(x + y, width);
    rows[i + 1] = light + noise;
    rows[i + 2] = light + noise + 12 * hill(x - y, width / 2);
  }
}

const LINES = [
  ["red", "#d33"],
  ["green", "#2a2"],
  ["blue", "#36c"],
  ["grey", "currentColor"],
] as const;

/** The image before and after, small, and its histograms: how many pixels have each eight values. */
function draw(original: Uint8Array, width: number, { before, after, image }: Result): string {
  const height = (240 * (original.length / 3 / width)) / width;
  const column = (left: number, name: string, pixels: Uint8Array, counts: Counts) => {
    const lines = LINES.map(([, stroke], i) => {
      const bins = Array.from({ length: 32 }, (_, bin) => sum(counts.subarray(256 * i).subarray(8 * bin, 8 * bin + 8)));
      const point = (n: number, bin: number) =>
        `${left + 7.5 * bin + 4},${(130 - (100 * n) / Math.max(...bins)).toFixed(1)}`;
      return element("polyline", {
        points: bins.map(point).join(" "),
        fill: "none",
        stroke,
        "stroke-width": 2,
      });
    });
    return [
      words(left, 14, name),
      ...lines,
      element("path", { d: `M${left} 130h240`, stroke: "currentColor" }),
      words(left, 144, "0"),
      words(left + 120, 144, "value", "middle"),
      words(left + 240, 144, "255", "end"),
      element("image", { href: thumbnail(pixels, width, 120), x: left, y: 178, width: 240, height }),
    ];
  };
  return svg(520, 188 + height, "an image before and after its equalisation; histograms of red, green, blue, grey", [
    ...column(10, "pixels by value, before", original, before),
    ...column(270, "after", image, after),
    ...LINES.flatMap(([name, stroke], i) => [
      element("path", { d: `M${10 + 70 * i} 162h16`, stroke, "stroke-width": 2 }),
      words(30 + 70 * i, 166, name),
    ]),
  ]);
}

const OPTIONS = {
  size: whole(4_000_000, 1, 3e8, "pixels of the image that is made"),
  file: input("an image in place of a made one, PPM or PGM (P6, P5)"),
};

const program: Spmd = spmd((pe, args) =>
  example(pe, args, "image-histogram", OPTIONS, async ({ size, file, seed }): Promise<Problem<Result>> => {
    const head = file === undefined ? null : headOf(file);
    const width = head?.width ?? Math.ceil(Math.sqrt((4 / 3) * size));
    const height = head?.height ?? Math.ceil(size / width);
    /** Rows of the image, from a file or made. */
    const read = (first: number, end: number, into: Uint8Array) => {
      if (file !== undefined && head !== null) readRows(file, head, first, end, into);
      else fill(into, width, height, first, seed);
    };
    const bytes = 3 * width;
    // each node has the rows of its PEs, in memory that they share
    const [first, end] = share(height, pe.rank, pe.size);
    const [top] = share(height, pe.rank - pe.nodeRank, pe.size);
    const [, bottom] = share(height, pe.rank - pe.nodeRank + pe.nodeSize - 1, pe.size);
    const most = await pe.allreduceAsync(bytes * (bottom - top), "max"); // the same length everywhere
    const ofNode = await pe.allocSharedAsync(Uint8Array, most);
    const equalised = await pe.allocSharedAsync(Uint8Array, most);
    const mine = (array: Uint8Array) => array.subarray(bytes * (first - top), bytes * (end - top));
    read(first, end, mine(ofNode));
    // the serial form has all of it
    const all = new Uint8Array(pe.rank === 0 ? bytes * height : 0);
    const alone = new Uint8Array(all.length);
    if (pe.rank === 0) read(0, height, all);
    return {
      parallel: () => onAll(pe, mine(ofNode), mine(equalised)),
      serial: () => onOne(all, alone),
      collect: async (part) => ({ ...part, image: (await pe.gatherAsync(part.image, 0)) ?? part.image }),
      differs(found, expected) {
        for (const what of ["before", "after", "image"] as const) {
          const at = found[what].findIndex((x, i) => x !== expected[what][i]);
          if (at >= 0) return `${what}[${at}] is ${found[what][at]}, not ${expected[what][at]}`;
        }
      },
      spoil: ({ image }) => void image[0]++,
      tell: ({ before, after }) => ({
        ...(head && { size: width * height }),
        image: `${width} x ${height}`,
        "greys before": range(before),
        "greys after": range(after),
      }),
      draw: (result) => draw(all, width, result),
      async free() {
        await pe.freeAsync(ofNode);
        await pe.freeAsync(equalised);
      },
    };
  }),
);
export default program;

/** The values between which all greys are but a hundredth at each end. */
function range(counts: Counts): string {
  const greys = counts.subarray(768);
  const value = (part: number) => greys.findIndex((_, x) => sum(greys.subarray(0, x + 1)) >= part * sum(greys));
  return `${value(0.01)} to ${value(0.99)}`;
}

const sum = (counts: Counts): number => counts.reduce((a, b) => a + b, 0);

// every PE imports this file as well: only the main thread starts them, one on each core
if (isEntry(import.meta)) await print(launch(new URL(import.meta.url), { args: process.argv.slice(2) }));

// Jacobi iteration: heat spreads over a plate; PEs have blocks of rows and send the outer ones to their neighbours.

import { isEntry, launch, type PE, type Spmd, spmd } from "tundish";
import { type ByteChannel, channel } from "tundish/messages";
import { example, type Problem } from "./support/example.ts";
import { heatMap } from "./support/image.ts";
import { randomAt, share } from "./support/input.ts";
import { real, whole } from "./support/options.ts";
import { print } from "./support/print.ts";
import { element, heat, svg, words } from "./support/svg.ts";

/** Change: the largest of one cell in the last sweep that looked. Cells: the plate, in rows, with its rim. */
type Result = { cells: Float64Array; sweeps: number; change: number };
type Settings = { size: number; sweeps: number; tolerance: number; seed: number };

/** Looking for the largest change takes about as long as a sweep, so only every so many sweeps. */
const LOOK_EVERY = 10;

/** Every PE runs this function. It has some rows of the plate, and between rims those next to them. */
async function onAll(pe: PE, settings: Settings, up?: ByteChannel, down?: ByteChannel): Promise<Result> {
  const { size, sweeps: most, tolerance } = settings;
  const width = size + 2;
  const [first, end] = rowsOf(pe, size);
  const rows = end - first;
  let cells = plate(settings, first, rows);
  let next = plate(settings, first, rows); // which has the same rim
  let change = Infinity;
  let sweeps = 0;
  while (sweeps < most && change > tolerance) {
    const row = (at: number) => cells.subarray(at * width, (at + 1) * width);
    await Promise.all([
      up?.sendAsync(row(1)), // my first row is the lower rim of the PE above
      down?.sendAsync(row(rows)),
      receive(row(0), up),
      receive(row(rows + 1), down),
    ]);
    sweep(cells, next, width, rows);
    [cells, next] = [next, cells];
    sweeps++;
    if (sweeps % LOOK_EVERY === 0) {
      change = await pe.allreduceAsync(largestChange(cells, next, width, rows), "max");
    }
  }
  return { cells, sweeps, change };
}

/** Waits for a row, if there is a neighbour to send one. */
async function receive(row: Float64Array, neighbour: ByteChannel | undefined): Promise<void> {
  if (neighbour === undefined) return;
  new Uint8Array(row.buffer, row.byteOffset, row.byteLength).set(await neighbour.receiveAsync());
}

/** The same on one thread. */
function onOne(settings: Settings): Result {
  const { size, sweeps: most, tolerance } = settings;
  let cells = plate(settings, 0, size);
  let next = plate(settings, 0, size);
  let change = Infinity;
  let sweeps = 0;
  while (sweeps < most && change > tolerance) {
    sweep(cells, next, size + 2, size);
    [cells, next] = [next, cells];
    sweeps++;
    if (sweeps % LOOK_EVERY === 0) change = largestChange(cells, next, size + 2, size);
  }
  return { cells, sweeps, change };
}

/** Each cell becomes the mean of its four neighbours. */
function sweep(cells: Float64Array, next: Float64Array, width: number, rows: number): void {
  for (let row = 1; row <= rows; row++) {
    const end = (row + 1) * width - 1;
    for (let i = row * width + 1; i < end; i++)
      next[i] = 0.25 * (cells[i - width] + cells[i - 1] + cells[i + 1] + cells[i + width]);
  }
}

function largestChange(cells: Float64Array, before: Float64Array, width: number, rows: number): number {
  let largest = 0;
  for (let i = width; i < (rows + 1) * width; i++) {
    const change = Math.abs(cells[i] - before[i]);
    if (change > largest) largest = change;
  }
  return largest;
}

/** Some rows and those next to them: cold, but for hot spots and the rim of the plate, whose temperatures are from 0 to 1. */
function plate({ size, seed }: Settings, first: number, rows: number): Float64Array {
  const width = size + 2;
  const cells = new Float64Array((rows + 2) * width);
  const rim = (side: number, at: number) => {
    const waves = 0.5 + randomAt(seed, 2 * side);
    return 0.5 + 0.5 * Math.sin(2 * Math.PI * ((waves * at) / width + randomAt(seed, 2 * side + 1)));
  };
  for (let row = 0; row < rows + 2; row++) {
    const y = first + row;
    for (let spot = 0; spot < SPOTS; spot++) heatSpot(cells, row * width, y, size, seed + spot);
    cells[row * width] = rim(0, y);
    cells[(row + 1) * width - 1] = rim(1, y);
    if (y !== 0 && y !== size + 1) continue;
    for (let x = 1; x <= size; x++) cells[row * width + x] = rim(y === 0 ? 2 : 3, x);
  }
  return cells;
}

const SPOTS = 6;

/** What a row y of the plate has of a round spot of temperature 1. */
function heatSpot(cells: Float64Array, start: number, y: number, size: number, seed: number): void {
  const [across, down, wide] = [8, 9, 10].map((index) => randomAt(seed, index));
  const radius = size * (0.04 + 0.08 * wide);
  const half = Math.sqrt(radius ** 2 - (y - down * size) ** 2); // NaN for rows beside the spot
  const [from, to] = [Math.max(1, Math.ceil(across * size - half)), Math.min(size, across * size + half)];
  for (let x = from; x <= to; x++) cells[start + x] = 1;
}

/** The rows of a PE; PEs beyond the last row have none. */
function rowsOf(pe: PE, size: number): readonly [first: number, end: number] {
  const busy = Math.min(pe.size, size);
  return pe.rank < busy ? share(size, pe.rank, busy) : [size, size];
}

/** Temperatures of the plate, or of as many of its cells as can be seen, with the scale of colours. */
function draw({ cells, sweeps }: Result, size: number): string {
  const across = Math.min(size, 384);
  const at = (i: number) => 1 + Math.floor(((i + 0.5) * size) / across);
  const steps = Array.from({ length: 64 }, (_, i) => {
    const place = { x: 400, y: 40 + 4.5 * i, width: 14, height: 5, "shape-rendering": "crispEdges" };
    return element("rect", { ...place, fill: heat(1 - i / 63) });
  });
  return svg(490, 384, `Temperatures on a plate after ${sweeps} sweeps: blue is cold, red is hot`, [
    heatMap(across, 384, (x, y) => cells[at(y) * (size + 2) + at(x)]),
    ...steps,
    words(400, 30, "temperature"),
    words(420, 49, "1"),
    words(420, 332, "0"),
  ]);
}

const OPTIONS = {
  size: whole(1000, 1, 20_000, "cells of a side of the plate"),
  sweeps: whole(100, 1, 1e9, "sweeps after which it ends"),
  tolerance: real(1e-6, 0, 1, "ends when no cell changes by more"),
};

const program: Spmd = spmd((pe, args) =>
  example(pe, args, "jacobi", OPTIONS, async (settings): Promise<Problem<Result>> => {
    const { size } = settings;
    const [first, end] = rowsOf(pe, size);
    const hasAbove = first > 0 && end > first;
    const up = hasAbove ? channel(pe, pe.rank - 1, { slots: 4 }) : undefined;
    const down = end < size ? channel(pe, pe.rank + 1, { slots: 4 }) : undefined;
    return {
      parallel: () => onAll(pe, settings, up, down),
      serial: () => onOne(settings),
      async collect(part) {
        const width = size + 2;
        // its own rows; the first and the last PE have the rim
        const own = part.cells.subarray(first > 0 ? width : 0, end < size ? -width : undefined);
        const cells = await pe.gatherAsync(end > first ? own : new Float64Array(0));
        return { ...part, cells: cells ?? own };
      },
      differs(found, expected) {
        if (found.sweeps !== expected.sweeps) return `${found.sweeps} sweeps, not ${expected.sweeps}`;
        // the same sums in the same order: the same bits
        const wrong = expected.cells.findIndex((cell, i) => cell !== found.cells[i]);
        return wrong < 0 ? undefined : `cell ${wrong} is ${found.cells[wrong]}, not ${expected.cells[wrong]}`;
      },
      spoil: ({ cells }) => void cells[cells.length >> 1]++,
      tell: ({ sweeps, change }) => ({ sweeps, "largest change of the last sweep": change }),
      flops: ({ sweeps }) => 4 * size * size * sweeps,
      draw: (result) => draw(result, size),
      async free() {
        up?.free();
        down?.free();
      },
    };
  }),
);
export default program;

// every PE imports this file as well: only the main thread starts them, one on each core
if (isEntry(import.meta)) await print(launch(new URL(import.meta.url), { args: process.argv.slice(2) }));

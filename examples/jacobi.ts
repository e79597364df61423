// Jacobi iteration: heat spreads over a plate; PEs have blocks of rows and send the outer ones to their neighbours.
import { type ByteChannel, launch, type PE, type Spmd, spmd } from "tundish";
import { example, type Problem } from "./support/example.ts";
import { randomAt, share } from "./support/input.ts";
import { real, whole } from "./support/options.ts";
import { isMain, print } from "./support/print.ts";
import { element, heat, svg } from "./support/svg.ts";

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

/** Some rows and those next to them: cold, but for the rim of the plate, whose temperatures are from 0 to 1. */
function plate({ size, seed }: Settings, first: number, rows: number): Float64Array {
  const width = size + 2;
  const cells = new Float64Array((rows + 2) * width);
  const rim = (side: number, at: number) => {
    const waves = 0.5 + randomAt(seed, 2 * side);
    return 0.5 + 0.5 * Math.sin(2 * Math.PI * ((waves * at) / width + randomAt(seed, 2 * side + 1)));
  };
  for (let row = 0; row < rows + 2; row++) {
    const y = first + row;
    cells[row * width] = rim(0, y);
    cells[(row + 1) * width - 1] = rim(1, y);
    if (y !== 0 && y !== size + 1) continue;
    for (let x = 1; x <= size; x++) cells[row * width + x] = rim(y === 0 ? 2 : 3, x);
  }
  return cells;
}

/** The rows of a PE; PEs beyond the last row have none. */
function rowsOf(pe: PE, size: number): readonly [first: number, end: number] {
  const busy = Math.min(pe.size, size);
  return pe.rank < busy ? share(size, pe.rank, busy) : [size, size];
}

/** At most 48 x 48 squares in the colour of a cell; neighbours of one colour are one. */
function draw({ cells }: Result, size: number): string {
  const across = Math.min(size, 48);
  const side = 384 / across;
  const colour = (x: number, y: number) => {
    const at = (i: number) => 1 + Math.floor(((i + 0.5) * size) / across);
    return heat(Math.round(32 * cells[at(y) * (size + 2) + at(x)]) / 32);
  };
  const squares: string[] = [];
  for (let y = 0; y < across; y++) {
    for (let x = 0, end = 0; x < across; x = end) {
      while (end < across && colour(end, y) === colour(x, y)) end++;
      const place = { x: x * side, y: y * side, width: (end - x) * side + 0.3, height: side + 0.3 };
      squares.push(element("rect", { ...place, fill: colour(x, y) }));
    }
  }
  return svg(384, 384, "Temperatures on a plate: blue is cold, red is hot", squares);
}

const OPTIONS = { size: whole(1000, 1, 20_000), sweeps: whole(100, 1, 1e9), tolerance: real(1e-6, 0, 1) };

const program: Spmd = spmd((pe, args) =>
  example(pe, args, "jacobi", OPTIONS, async (settings): Promise<Problem<Result>> => {
    const { size } = settings;
    const [first, end] = rowsOf(pe, size);
    const hasAbove = first > 0 && end > first;
    const up = hasAbove ? pe.channel(pe.rank - 1, { slots: 4 }) : undefined;
    const down = end < size ? pe.channel(pe.rank + 1, { slots: 4 }) : undefined;
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
      tell: ({ sweeps, change }) => ({ sweeps, change }),
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
if (isMain(import.meta.url)) await print(launch(new URL(import.meta.url), { args: process.argv.slice(2) }));

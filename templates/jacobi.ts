// Jacobi iteration: heat spreads over a plate; PEs have blocks of rows and send the outer ones to their neighbours.
import { isEntry, launch, spmd } from "tundish";
import { type ByteChannel, channel } from "tundish/messages";

type Args = { size: number; sweeps: number };
type Result = { change: number; ms: number };

/** Every PE runs this function. It has some rows of the plate, and between rims those next to them. */
export default spmd<Args, Promise<Result>>(async (pe, { size, sweeps }) => {
  const bound = (rank: number) => Math.floor((size * rank) / pe.size);
  const rows = bound(pe.rank + 1) - bound(pe.rank);
  const width = size + 2;
  let cells = new Float64Array((rows + 2) * width);
  if (pe.rank === 0) cells.fill(1, 0, width); // the upper rim is hot, the others are cold
  let next = cells.slice();
  const up = pe.rank > 0 ? channel(pe, pe.rank - 1) : undefined;
  const down = pe.rank < pe.size - 1 ? channel(pe, pe.rank + 1) : undefined;
  await pe.barrierAsync();
  const begin = performance.now();
  let change = 0;
  for (let done = 1; done <= sweeps; done++) {
    const row = (at: number) => cells.subarray(at * width, (at + 1) * width);
    await Promise.all([
      up?.sendAsync(row(1)), // my first row is the lower rim of the PE above
      down?.sendAsync(row(rows)),
      receive(row(0), up),
      receive(row(rows + 1), down),
    ]);
    sweep(cells, next, width, rows);
    [cells, next] = [next, cells];
    if (done === sweeps) change = await pe.allreduceAsync(largestChange(cells, next), "max");
  }
  return { change, ms: performance.now() - begin };
});

/** Waits for a row, if there is a neighbour to send one. */
async function receive(row: Float64Array, neighbour: ByteChannel | undefined): Promise<void> {
  if (neighbour === undefined) return;
  new Uint8Array(row.buffer, row.byteOffset, row.byteLength).set(await neighbour.receiveAsync());
}

/** Each cell becomes the mean of its four neighbours. */
function sweep(cells: Float64Array, next: Float64Array, width: number, rows: number): void {
  for (let row = 1; row <= rows; row++) {
    for (let i = row * width + 1; i < (row + 1) * width - 1; i++)
      next[i] = 0.25 * (cells[i - width] + cells[i - 1] + cells[i + 1] + cells[i + width]);
  }
}

function largestChange(cells: Float64Array, before: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < cells.length; i++) largest = Math.max(largest, Math.abs(cells[i] - before[i]));
  return largest;
}

// every PE imports this file as well: only the main thread starts them
if (isEntry(import.meta)) {
  const program = new URL(import.meta.url);
  const args: Args = { size: Number(process.argv[2] ?? 1000), sweeps: 100 };
  const [alone] = await launch<Result>(program, { pes: 1, args });
  const all = await launch<Result>(program, { args }); // one PE per core
  const ms = Math.max(...all.map((result) => result.ms));
  console.log(`largest change of sweep ${args.sweeps}: ${all[0].change.toPrecision(4)}`);
  console.log(`1 PE ${alone.ms.toFixed(0)} ms, ${all.length} PEs ${ms.toFixed(0)} ms`);
}

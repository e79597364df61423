/**
 * Histogram on virtual PEs: random elements of a table that is spread over all PEs are counted at their PE.
 *
 *     tundish simulate simulated-histogram.js --pes 4096 --nodes 256 --args '{"hops":2}'
 *
 * `--args` is an object: items of each PE, elements of the table of each, and any option of conveyors. Checked: each
 * PE's counts against sequential counts.
 */
import { u32 } from "tundish";
import { type ConveyorOptions, DONE } from "tundish/conveyor";
import type { SimulatedPE, SimulatedProgram } from "tundish/simulate";
import { randomBelow } from "./common.ts";

interface Args extends ConveyorOptions {
  readonly items?: number;
  readonly table?: number;
}

/** The counts of all PEs together; computed once, as all virtual PEs are in one thread. */
let expected = new Uint32Array(0);

function* program(pe: SimulatedPE, args?: Args): Generator<void, void, void> {
  const { items = 50, table = 100, ...options } = args ?? {};
  const index = (i: number) => randomBelow(table * pe.size, 1, i);
  if (expected.length === 0) {
    expected = new Uint32Array(table * pe.size);
    for (let i = 0; i < items * pe.size; i++) expected[index(i)]++;
  }
  const counts = new Uint32Array(table);

  const c = pe.conveyor(u32, { bufferBytes: 1024, ...options });
  yield* c.begin();
  let i = items * pe.rank;
  const end = i + items;
  while ((yield* c.advance(i === end)) !== DONE) {
    for (; i < end; i++) if (!c.push(index(i) % pe.size, Math.floor(index(i) / pe.size))) break;
    while (c.pull()) counts[c.item]++;
  }
  yield* c.reset();

  const errors = counts.filter((count, k) => count !== expected[k * pe.size + pe.rank]).length;
  if (errors > 0) throw new Error(`PE ${pe.rank}: errors = ${errors}, of ${table} counts`);
}

const typed: SimulatedProgram<void, Args | undefined> = program;
export default typed;

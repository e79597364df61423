/**
 * Histogram: random elements of a table that is spread over all PEs are counted at their PE.
 *
 *     tundish run histogram.js -n 4 -- --items 1000000 --table 40000 --type tensor --hops 2
 *
 * Source: the histo of bale's apps. Checked: the sum of all counts, and each count against a sequential one.
 */

import { type PE, type Spmd, u32 } from "tundish";
import { conveyor } from "tundish/conveyor";
import { owned, type Report, randomBelow, report, type Settings, share, tableApp } from "./common.ts";

function main(pe: PE, told: Settings): Report | undefined {
  const { items, table, seed } = told;
  const counts = new Uint32Array(owned(table, pe));
  const [first, end] = share(items, pe);
  const indices = Uint32Array.from({ length: end - first }, (_, i) => randomBelow(table, seed, first + i));

  const c = conveyor(pe, u32, told.conveyor);
  pe.barrier();
  const started = performance.now();
  c.begin();
  for (let i = 0; c.advance(i === indices.length); ) {
    for (; i < indices.length; i++) {
      if (!c.push(indices[i] % pe.size, Math.floor(indices[i] / pe.size))) break;
    }
    while (c.pull()) counts[c.item]++;
  }
  c.reset();
  const seconds = (performance.now() - started) / 1000;
  c.free();

  if (told.spoil && pe.rank === 0) counts[0]++;
  const expected = new Uint32Array(counts.length);
  for (let i = 0; i < items; i++) {
    const index = randomBelow(table, seed, i);
    if (index % pe.size === pe.rank) expected[Math.floor(index / pe.size)]++;
  }
  const errors = counts.reduce((sum, count, i) => sum + (count === expected[i] ? 0 : 1), 0);
  const all = pe.allreduce(
    counts.reduce((sum, count) => sum + count, 0),
    "sum",
  );
  const weigh = (i: number) => randomBelow(2 ** 20, 0, i * pe.size + pe.rank);
  const checksum = counts.reduce((sum, count, i) => (sum + count * weigh(i)) % 2 ** 32, 0);
  const missing = pe.rank === 0 ? Math.abs(all - items) : 0;
  return report(pe, told, { app: "histogram", itemBytes: 4, seconds, checksum, errors: errors + missing });
}

const app: Spmd = tableApp("histogram", main);
export default app;

/**
 * Index-gather: every PE reads random elements of a table that is spread over all PEs, by a biconveyor:
 * the replies come in the order of the queries.
 *
 *     tundish run index-gather.js -n 4 -- --items 1000000 --table 40000 --type tensor --hops 2
 *
 * Source: the ig of bale's apps. Checked: each element that was read, element i being -(i + 1).
 */

import { i32, type PE, type Spmd, u32 } from "tundish";
import { biconveyor } from "tundish/conveyor";
import { owned, type Report, randomBelow, report, type Settings, share, tableApp } from "./common.ts";

function main(pe: PE, told: Settings): Report | undefined {
  const { items, table, seed } = told;
  const elements = Int32Array.from({ length: owned(table, pe) }, (_, i) => -(i * pe.size + pe.rank + 1));
  const [first, end] = share(items, pe);
  const indices = Uint32Array.from({ length: end - first }, (_, i) => randomBelow(table, seed, first + i));
  const got = new Int32Array(indices.length);

  const c = biconveyor(pe, u32, i32, (index) => elements[index], told.conveyor);
  pe.barrier();
  const started = performance.now();
  c.begin();
  for (let i = 0, j = 0; c.advance(i === indices.length); ) {
    for (; i < indices.length; i++) {
      if (!c.push(indices[i] % pe.size, Math.floor(indices[i] / pe.size))) break;
    }
    while (c.pull()) got[j++] = c.item;
  }
  c.reset();
  const seconds = (performance.now() - started) / 1000;
  c.free();

  if (told.spoil && got.length > 0) got[0]++;
  const errors = got.reduce((sum, value, i) => sum + (value === -(indices[i] + 1) ? 0 : 1), 0);
  const checksum = got.reduce((sum, value, i) => (sum - value * (1 + ((first + i) % 1000))) % 2 ** 32, 0);
  return report(pe, told, { app: "index-gather", itemBytes: 8, seconds, checksum, errors });
}

const app: Spmd = tableApp("index-gather", main);
export default app;

/**
 * Index-gather by a pair of conveyors: one transports queries, the other replies. A query names the slot that its reply
 * belongs to, as replies come in any order. Where there is no room for a reply, its query is put back.
 *
 *     tundish run index-gather-pair.js -n 4 -- --items 1000000 --table 40000 --type tensor --hops 2
 *
 * Source: the ig of bale's apps. Checked: each element that was read, element i being -(i + 1).
 */

import { i32, type PE, type Spmd, struct, u32 } from "tundish";
import { conveyor, DONE } from "tundish/conveyor";
import { owned, type Report, randomBelow, report, type Settings, share, tableApp } from "./common.ts";

function main(pe: PE, told: Settings): Report | undefined {
  const { items, table, seed } = told;
  const elements = Int32Array.from({ length: owned(table, pe) }, (_, i) => -(i * pe.size + pe.rank + 1));
  const [first, end] = share(items, pe);
  const indices = Uint32Array.from({ length: end - first }, (_, i) => randomBelow(table, seed, first + i));
  const got = new Int32Array(indices.length);

  const queries = conveyor(pe, struct({ slot: u32, index: u32 }), told.conveyor);
  const replies = conveyor(pe, struct({ slot: u32, value: i32 }), told.conveyor);
  pe.barrier();
  const started = performance.now();
  queries.begin();
  replies.begin();
  let i = 0;
  for (;;) {
    // no reply is pushed any more when all queries were answered
    const asking = queries.advance(i === indices.length) !== DONE;
    if (replies.advance(!asking) === DONE) break;
    for (; i < indices.length; i++) {
      if (!queries.push(indices[i] % pe.size, i, Math.floor(indices[i] / pe.size))) break;
    }
    while (queries.pull()) {
      const { slot, index } = queries.item;
      if (replies.push(queries.from, slot, elements[index])) continue;
      queries.unpull();
      break;
    }
    while (replies.pull()) got[replies.item.slot] = replies.item.value;
  }
  queries.reset();
  replies.reset();
  const seconds = (performance.now() - started) / 1000;
  queries.free();
  replies.free();

  if (told.spoil && got.length > 0) got[0]++;
  const errors = got.reduce((sum, value, i) => sum + (value === -(indices[i] + 1) ? 0 : 1), 0);
  const checksum = got.reduce((sum, value, i) => (sum - value * (1 + ((first + i) % 1000))) % 2 ** 32, 0);
  return report(pe, told, { app: "index-gather-pair", itemBytes: 16, seconds, checksum, errors });
}

const app: Spmd = tableApp("index-gather-pair", main);
export default app;

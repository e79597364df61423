/** Conveyors: each PE sends to the next one at a rate, and takes the latency of what comes. */

import { conveyor } from "../../../../src/conveyor.ts";
import { f64, struct } from "../../../../src/ground/item/item-type.ts";
import type { PE } from "../../../../src/pe/pe.ts";
import { type Spmd, spmd } from "../../../../src/pe/spmd.ts";
import type { ConveyorOptions } from "../../../../src/route/geometry/options.ts";
import { LatencyHistogram } from "./histogram.ts";
import { HEAD_START, type LatencyPart, limitOf, type Pace, sampleMask, sharedClock, totalOf } from "./job.ts";

export interface LatencyJob {
  readonly options: ConveyorOptions;
  readonly paces: readonly Pace[];
}

const ITEM = struct({ due: f64, a: f64, b: f64, c: f64, d: f64 });

const program: Spmd = spmd((pe: PE, { options, paces }: LatencyJob): LatencyPart[] => {
  const now = sharedClock();
  // a sender that gives up leaves out items that may have been refused
  const c = conveyor(pe, ITEM, { ...options, lossy: true });
  const dest = (pe.rank + 1) % pe.size;
  // the first one compiles
  return [{ rate: 1e5, ms: 50 }, ...paces]
    .map((pace): LatencyPart => {
      const { rate } = pace;
      let total = totalOf(pace);
      const mask = sampleMask(pace);
      const seen = new LatencyHistogram();
      const start = pe.allreduce(now(), "max") + HEAD_START;
      const end = start + limitOf(pace);
      let sent = 0;
      let received = 0;
      let last = start;
      c.begin();
      do {
        const time = now();
        if (time > end) total = sent;
        const due = Math.min(total, Math.floor(((time - start) * rate) / 1000));
        while (sent < due && c.push(dest, start + ((sent + 1) * 1000) / rate, 1, 2, 3, 4)) sent++;
        if (!c.pull()) continue;
        last = now();
        do {
          if ((received++ & mask) === 0) seen.add((last - c.item.due) * 1e6);
        } while (c.pull());
      } while (c.advance(sent === total));
      c.reset();
      const { buffers: messages } = c.stats();
      return { sent, received, took: last - start, messages, counts: seen.counts, most: seen.most };
    })
    .slice(1);
});
export default program;

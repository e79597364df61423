/** The sessions of 8 B of mixed.ts, each by one call: `run` of columns, whose items come as batches. */

import type { Sessions } from "../../../../microbench/conveyors/job.ts";
import { BLOCK, destsOf } from "../../../../microbench/conveyors/stream.ts";
import { conveyor } from "../../../../src/conveyor.ts";
import { f64, type PE } from "../../../../src/index.ts";
import { sumsOf } from "./mixed.ts";

/** Prepares what is not timed, for sessions of `items` items of each PE. Collective. */
export function columnSessions(pe: PE, items: number): Sessions {
  const c = conveyor(pe, f64);
  const block = destsOf(pe, pe.rank);
  const dests = Uint32Array.from({ length: items }, (_, i) => block[i % BLOCK]);
  const columns = Float64Array.from({ length: items }, (_, i) => i % BLOCK);
  let [sum, pushed] = [0, 0];
  const takeAll = ({ columns, count }: { readonly columns: Float64Array; readonly count: number }): void => {
    let part = 0;
    for (let j = 0; j < count; j++) part += columns[j];
    sum += part;
  };
  const expected = sumsOf(pe, 0);
  return {
    session: (items) => {
      sum = 0;
      pushed = items;
      c.run({ dests, columns, end: items }, { takeAll });
    },
    check: () => {
      const right = expected(pushed);
      if (sum !== right) throw new Error(`PE ${pe.rank}: columns: expected the sum ${right}, got ${sum}`);
    },
  };
}

/** What synchronisation costs: each construct after a piece of work, as in peers/c/openmp/sync.c. */
import type { PE } from "../../../../src/index.ts";
import { forEach, single } from "../../../../src/loop.ts";
import { lock, sharedCounter } from "../../../../src/shared.ts";
import { type LoopAnswer, SYNC_EACH, type SyncJob, WORK_ALONE } from "./job.ts";
import { Measuring, work } from "./measuring.ts";

export function sync(pe: PE, job: SyncJob): LoopAnswer["entries"] {
  const measuring = new Measuring(pe, job);
  const sink = new Float64Array(1);
  const shared = pe.allocShared(Float64Array, 16);
  const mutex = lock(pe);
  const counter = sharedCounter(pe);
  const worked = (): number => {
    const x = work(sink[0] as number);
    sink[0] = x;
    measuring.iterations++;
    return x;
  };
  const add = (): void => {
    (shared[0] as number)++;
  };
  /** A piece of work and the construct, again and again. */
  const every = (construct: () => void) => (): void => {
    for (let i = 0; i < SYNC_EACH; i++) {
      worked();
      construct();
    }
  };
  const measured = (what: string, loop: () => void) => measuring.measured(what, loop, SYNC_EACH);
  return [
    measuring.alone(
      WORK_ALONE,
      every(() => {}),
      SYNC_EACH,
    ),
    measured(
      "barrier",
      every(() => pe.barrier()),
    ),
    measured("for with reduction", () => {
      for (let i = 0; i < SYNC_EACH; i++) forEach(pe, pe.size, worked, { schedule: "static", reduce: "sum" });
    }),
    measured(
      "single",
      every(() => single(pe, add)),
    ),
    measured(
      "lock and unlock",
      every(() => {
        mutex.lock();
        add();
        mutex.unlock();
      }),
    ),
    measured(
      "atomic",
      every(() => void counter.add(1)),
    ),
    measured("ordered", () => {
      forEach(pe, SYNC_EACH * pe.size, worked, { schedule: "static", chunk: 1, ordered: add });
    }),
  ];
}

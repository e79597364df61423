/** Appending on the threads of a node: batches of one way or several, each in turn, for records of several sizes. */
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { sharedClock } from "../latency/job.ts";
import { type AppendAnswer, type AppendSamples, type Load, roomFor, whatText, writersOf } from "./jobs.ts";
import { checkRecords, markOf, spanOf } from "./span.ts";
import { type Way, type WaysKind, waysOf } from "./ways.ts";

export interface AppendThreadsJob {
  readonly kind: WaysKind;
  readonly writers: number;
  readonly loads: readonly Load[];
  readonly batches: number;
  /** CPUs of the PEs. */
  readonly cpus: number;
  /** For `atomics`. */
  readonly memory: SharedArrayBuffer | null;
}

/** Batches before the first ones that count: V8 compiles meanwhile. */
const WARM_BATCHES = 4;

const program: Spmd = spmd((pe: PE, job: AppendThreadsJob): AppendAnswer => {
  const { kind, writers, loads, memory } = job;
  const room = roomFor(loads, writers);
  const ways = waysOf(pe, kind, room, memory);
  const now = sharedClock();
  const [first] = loads;
  for (let warm = 0; warm < WARM_BATCHES; warm++) measure(pe, ways, { ...job, batches: 0 }, first, now);
  const entries = loads.flatMap((load) => measure(pe, ways, job, load, now));
  for (const way of ways) way.free();
  return { bound: pe.cpu !== null, entries };
});
export default program;

/** A batch of each way in turn; the first batch is discarded. It and the last one are checked. */
function measure(
  pe: PE,
  ways: readonly Way[],
  { writers, batches, cpus }: AppendThreadsJob,
  load: Load,
  now: () => number,
): AppendSamples[] {
  const { bytes, pushes } = load;
  const pushing = writersOf(writers);
  const isWriter = pushing.includes(pe.rank);
  const own = new Uint8Array(bytes).fill(markOf(pe.rank));
  const heap = pe.alloc(Uint8Array, bytes).fill(markOf(pe.rank));
  const all = pushes * writers;
  const timed = ways.map((way) => ({ way, together: [] as number[], single: [] as number[] }));
  for (let b = -1; b < batches; b++) {
    for (const { way, together, single } of timed) {
      const data = way.fromHeap ? heap : own;
      const work = () => way.run(data, isWriter ? pushes : 0);
      const ns = spanOf(pe, now, isWriter || way.isCollective ? work : null);
      if (b >= 0) together.push((ns * Math.min(writers, cpus)) / all);
      if (pe.rank === 0 && (b < 0 || b === batches - 1)) checkRecords(way.came(), load, pushing);
      way.empty();
      if (writers < 2 || way.isCollective) continue;
      let sum = 0;
      for (const alone of pushing) sum += spanOf(pe, now, pe.rank === alone ? work : null);
      if (b >= 0) single.push(sum / all);
      way.empty();
    }
  }
  pe.free(heap);
  return timed.flatMap(({ way: { name }, together, single }) => [
    { name, what: whatText(bytes, writers), batch: all, samples: together },
    ...(single.length > 0 ? [{ name, what: whatText(bytes, writers, true), batch: all, samples: single }] : []),
  ]);
}

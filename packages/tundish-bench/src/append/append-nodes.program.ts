/**
 * Appending over nodes: each transport, push by push and many at a time; the first PE into the buffer of the last one,
 * then all at once.
 */
import { type AppendBuffer, type AppendTransport, appendBuffer } from "../../../../src/append.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { type AppendAnswer, type AppendSamples, type Load, roomFor, TOGETHER, whatText } from "./jobs.ts";
import { checkRecords, longestOf, markOf } from "./span.ts";

export interface AppendNodesJob {
  readonly loads: readonly Load[];
  readonly batches: number;
  readonly transports: readonly AppendTransport[];
}

/** One way to push so many times. */
interface NodesWay {
  readonly name: string;
  readonly a: AppendBuffer;
  readonly push: (a: AppendBuffer, dest: number, data: Uint8Array, pushes: number) => void;
}

/** Batches before the first ones that count: V8 compiles meanwhile. */
const WARM_BATCHES = 20;
/** A way that has taken so long, ms, has no more batches of a load, if it has two: where pushes are slow. */
const ENOUGH_MS = 300;
const LEAST_BATCHES = 2;

const program: Spmd = spmd((pe: PE, job: AppendNodesJob): AppendAnswer => {
  const { loads, transports } = job;
  const room = roomFor(loads, 1);
  const buffers = transports.map((transport) => ({
    transport,
    a: appendBuffer(pe, room, { transport }),
  }));
  const ways = buffers.flatMap(({ transport: name, a }): NodesWay[] => [
    { name, a, push: each },
    { name: `${name}, ${TOGETHER} at a time`, a, push: together },
  ]);
  const entries: AppendSamples[] = [];
  for (const isAll of [false, true]) {
    const warm = { ...job, batches: Math.min(WARM_BATCHES, 3 * job.batches) };
    measure(pe, ways, warm, loads[0], isAll);
    for (const load of loads) entries.push(...measure(pe, ways, job, load, isAll));
  }
  for (const { a } of buffers) a.free();
  return { bound: pe.cpu !== null, entries };
});
export default program;

function each(a: AppendBuffer, dest: number, data: Uint8Array, pushes: number): void {
  for (let i = 0; i < pushes; i++) a.push(dest, data);
}

function together(a: AppendBuffer, dest: number, data: Uint8Array, pushes: number): void {
  for (let left = pushes; left > 0; left -= TOGETHER) {
    for (let i = Math.min(left, TOGETHER); i > 0; i--) a.pushStart(dest, data);
    a.sync();
  }
}

/** A batch of each way in turn; the first batch is discarded. It and the last one are checked. */
function measure(
  pe: PE,
  ways: readonly NodesWay[],
  { batches }: AppendNodesJob,
  load: Load,
  isAll: boolean,
): AppendSamples[] {
  const { bytes, pushes } = load;
  const dest = isAll ? (pe.rank + 1) % pe.size : pe.size - 1;
  const writers = isAll ? pe.size : 1;
  // who pushes to this PE
  const writer = isAll ? (pe.rank + pe.size - 1) % pe.size : 0;
  const isOwner = isAll || pe.rank === pe.size - 1;
  const data = new Uint8Array(bytes).fill(markOf(pe.rank));
  const timed = ways.map((way) => ({ ...way, samples: [] as number[] }));
  for (let b = -1; b < batches; b++) {
    for (const { a, push, samples } of timed) {
      // the same at all PEs, as they have the same samples
      const took = samples.reduce((sum, ns) => sum + ns, 0) * pushes;
      if (samples.length >= LEAST_BATCHES && took > ENOUGH_MS * 1e6) continue;
      const ns = longestOf(pe, isAll || pe.rank === 0 ? () => push(a, dest, data, pushes) : null);
      if (b >= 0) samples.push(ns / pushes);
      if (!isOwner) continue;
      if (b < 0 || b === batches - 1) checkRecords([a.data()], load, [writer]);
      // what has come is discarded: a reset asks for this
      if (a.offset > 0) a.reset();
    }
  }
  return timed.map(({ name, samples }) => ({
    name,
    samples,
    what: whatText(bytes, writers),
    batch: pushes * writers,
  }));
}

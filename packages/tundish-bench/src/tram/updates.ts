/**
 * The updates of RandomAccess in the simulator: each PE sends its part of them to PEs drawn at random.
 *
 * Nobody tells TRAM that there will be no more: quiescence detection is its only end (appendix B), and what is left in
 * buffers waits for its time. So PEs declare the end when all updates have arrived. The time is that until the last one
 * has. Without aggregation each update is a buffer of its own (flush after each push), as in run.ts.
 *
 * Source: TRAM's thesis, section 5.4; HPCC RandomAccess: four updates for each word of the table.
 */
import { struct, u32 } from "../../../../src/ground/item/item-type.ts";
import { simulate } from "../../../../src/running/simulate/simulate.ts";
import { ALPHA, BUFFER_BYTES, endOf, simulationOf, THRESHOLD, TIMEOUT, type TramPlace } from "./model.ts";
import { POLL, SINGLE, type TramRun } from "./run.ts";

/** Bytes of an update. */
export const UPDATE_BYTES = 8;
const UPDATE = struct({ hi: u32, lo: u32 });
/** Updates of a word of the table. */
const OF_WORD = 4;

/** @param log2 words of the table, as a power of two */
export function runUpdates(place: TramPlace, log2: number): TramRun {
  const { pes, mesh, alpha = ALPHA, bufferBytes = BUFFER_BYTES, threshold = THRESHOLD, timeout = TIMEOUT } = place;
  const each = Math.ceil((OF_WORD * 2 ** log2) / pes);
  const options =
    mesh === null ? { bufferBytes: SINGLE + UPDATE_BYTES } : { mesh, bufferBytes, threshold, maxDelay: timeout };
  const end = endOf(place);
  let arrived = 0;
  const { results, conveyors } = simulate(simulationOf({ ...place, bytes: UPDATE_BYTES }), function* (pe) {
    const c = pe.conveyor(UPDATE, { ...options, buffersPerLink: 4 });
    yield* c.begin();
    const began = pe.now;
    let [pushed, time] = [0, 0];
    let dest = Math.floor(pes * pe.random());
    for (let isOpen = true; isOpen; ) {
      const before = [arrived, pushed];
      for (; pushed < each && c.push(dest, dest, pushed); pushed++) {
        if (mesh === null) c.flush(dest);
        dest = Math.floor(pes * pe.random());
      }
      while (c.pull()) arrived++;
      pe.work(end * (arrived + pushed - before[0] - before[1]));
      if (arrived > before[0]) time = pe.now - began;
      // it looks again soon, as one that waits for a timeout would be late
      else if (pushed === each) pe.work(Math.max(POLL, alpha / 2));
      isOpen = Boolean(yield* c.advance(arrived === each * pes));
    }
    const { buffers, sentFor } = c.stats();
    yield* c.reset();
    return { time, buffers, late: sentFor.delay };
  });
  const sum = (part: "buffers" | "late") => results.reduce((all, one) => all + one[part], 0);
  const items = (conveyors[0]?.hops ?? []).reduce((all, hop) => all + hop.items, 0);
  const buffers = sum("buffers");
  const time = Math.max(...results.map((one) => one.time));
  return {
    time,
    perMessage: time / each,
    perBuffer: items / buffers,
    buffers: buffers / pes,
    late: sum("late") / buffers,
  };
}

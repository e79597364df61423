/** The program of our PEs in `bench conveyors`: one thing in one way, so that V8 compiles its loop for that alone. */
import { type PE, type Spmd, spmd } from "../src/index.ts";
import { histogram } from "./conveyors/histogram.ts";
import { indexGather } from "./conveyors/index-gather.ts";
import type { ConveyorJob, Sessions } from "./conveyors/job.ts";
import { stream } from "./conveyors/stream.ts";

/** What a PE gives back. */
export interface ConveyorAnswer {
  /** Whether it is bound to a CPU. */
  readonly bound: boolean;
  /** ns per item that it has pushed, of each session. */
  readonly samples: readonly number[];
}

const program: Spmd = spmd(async (pe: PE, args: unknown): Promise<ConveyorAnswer> => {
  const job = args as ConveyorJob;
  const { session, check } = sessionsOf(pe, job);
  const samples: number[] = [];
  for (let s = 0; s <= job.sessions; s++) {
    pe.barrier();
    const start = performance.now();
    await session(); // over when it is over at all PEs
    const ns = (performance.now() - start) * 1e6;
    check();
    if (s > 0) samples.push(ns / job.items);
  }
  return { bound: pe.cpu !== null, samples };
});

function sessionsOf(pe: PE, job: ConveyorJob): Sessions {
  const { work } = job;
  if (work === "histogram") return histogram(pe, job);
  if (work === "index-gather") return indexGather(pe, job);
  return stream(pe, work, job);
}

export default program;

/**
 * The program of our PEs in `bench conveyors`: one job with one kind of loop, so that V8 compiles its loop for that
 * alone. In quick mode it is given several, as most of the time is then that of starting worlds.
 */
import { type PE, type Spmd, spmd } from "../../src/index.ts";
import { histogram } from "./histogram.ts";
import { indexGather } from "./index-gather.ts";
import type { ConveyorJob, Sessions } from "./job.ts";
import { stream } from "./stream.ts";

/** The result of a PE. */
export interface ConveyorAnswer {
  /** Whether it is bound to a CPU. */
  readonly bound: boolean;
  /** ns per item that it pushed, of each session: by job. */
  readonly samples: readonly (readonly number[])[];
}

const program: Spmd = spmd((pe: PE, args: unknown): ConveyorAnswer => {
  const jobs = args as readonly ConveyorJob[];
  return { bound: pe.cpu !== null, samples: jobs.map((job) => samplesOf(pe, job)) };
});

function samplesOf(pe: PE, job: ConveyorJob): number[] {
  const { session, warm, check } = sessionsOf(pe, job);
  const timed = (): number => {
    pe.barrier();
    const start = performance.now();
    session(); // ends when it is complete at all PEs
    const ns = (performance.now() - start) * 1e6;
    check();
    return ns / job.items;
  };
  const begun = performance.now();
  do warm();
  while (pe.broadcast(performance.now() - begun < job.warmMs, 0));
  timed(); // afterwards all memory has been touched
  const samples: number[] = [];
  while (samples.length < job.sessions) samples.push(timed());
  return samples;
}

function sessionsOf(pe: PE, job: ConveyorJob): Sessions {
  const { work } = job;
  if (work === "histogram") return histogram(pe, job);
  if (work === "index-gather") return indexGather(pe, job);
  return stream(pe, work, job);
}

export default program;

/**
 * The program of our PEs in `bench conveyors`: one job with one kind of loop, so that V8 compiles its loop for that
 * alone. In quick mode it is given several, as most of the time is then that of starting worlds.
 */
import { type PE, type Spmd, spmd } from "../../src/index.ts";
import type { ProbeWords } from "../turns/distance.ts";
import { histogram } from "./histogram.ts";
import { indexGather } from "./index-gather.ts";
import type { ConveyorJob, Sessions } from "./job.ts";
import { stream } from "./stream.ts";
import { type TimedSessions, timeSessions } from "./timing.ts";

/** One after the other. */
export interface ConveyorJobs extends ProbeWords {
  readonly jobs: readonly ConveyorJob[];
}

/** The result of a PE. */
export interface ConveyorAnswer {
  /** Whether it is bound to a CPU. */
  readonly bound: boolean;
  /** By job. */
  readonly timed: readonly TimedSessions[];
}

const program: Spmd = spmd((pe: PE, args: unknown): ConveyorAnswer => {
  const { jobs, words } = args as ConveyorJobs;
  const timed = jobs.flatMap((job) => timeSessions(pe, [sessionsOf(pe, job)], { ...job, words }));
  return { bound: pe.cpu !== null, timed };
});

function sessionsOf(pe: PE, job: ConveyorJob): Sessions {
  const { work } = job;
  if (work === "histogram") return histogram(pe, job);
  if (work === "index-gather") return indexGather(pe, job);
  return stream(pe, work, job);
}

export default program;

/**
 * The program of our PEs in `bench conveyors`: one job with one kind of loop, so that V8 compiles its loop for that
 * alone. In quick mode it is given several, as most of the time is then that of starting worlds.
 */
import type { ConveyorAnswer, ConveyorJob, ConveyorJobs, Sessions } from "../../../../microbench/conveyors/job.ts";
import { stream } from "../../../../microbench/conveyors/stream.ts";
import { timeSessions } from "../../../../microbench/conveyors/timing.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { histogram } from "./histogram.ts";
import { indexGather } from "./index-gather.ts";
import type { Work } from "./variants.ts";

const program: Spmd = spmd((pe: PE, { jobs, words }: ConveyorJobs<Work>): ConveyorAnswer => {
  const timed = jobs.flatMap((job) => timeSessions(pe, [sessionsOf(pe, job)], { ...job, words }));
  return { bound: pe.cpu !== null, timed };
});

function sessionsOf(pe: PE, job: ConveyorJob<Work>): Sessions {
  const { work } = job;
  if (work === "histogram") return histogram(pe, job);
  if (work === "index-gather") return indexGather(pe, job);
  return stream(pe, work, job);
}

export default program;

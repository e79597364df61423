/**
 * PEs that push items to random ones: one job with one kind of loop, so that V8 compiles its loop for that alone. In
 * quick mode they are given several, as most of the time is then that of starting worlds.
 */
import { type PE, type Spmd, spmd } from "../../src/index.ts";
import type { ConveyorAnswer, ConveyorJobs } from "./job.ts";
import { stream } from "./stream.ts";
import { timeSessions } from "./timing.ts";

const program: Spmd = spmd((pe: PE, { jobs, words }: ConveyorJobs): ConveyorAnswer => {
  const timed = jobs.flatMap((job) => timeSessions(pe, [stream(pe, job.work, job)], { ...job, words }));
  return { bound: pe.cpu !== null, timed };
});

export default program;

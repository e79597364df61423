/** The program of our PEs in `bench conveyors --mixed`: items of one type or of several, in one process. */

import type { ConveyorAnswer, LoopKind, SessionVolume } from "../../../../microbench/conveyors/job.ts";
import { timeSessions } from "../../../../microbench/conveyors/timing.ts";
import type { ProbeWords } from "../../../../microbench/turns/distance.ts";
import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { type Mixed, mixedSessions } from "./mixed.ts";

/** The types that one world's PEs push, in turn, all in one way. */
export interface MixedJob extends SessionVolume, ProbeWords {
  readonly types: readonly Mixed[];
  readonly way: LoopKind;
}

const program: Spmd = spmd((pe: PE, args: unknown): ConveyorAnswer => {
  const job = args as MixedJob;
  const loops = job.types.map((one) => mixedSessions(pe, one, job.way));
  return { bound: pe.cpu !== null, timed: timeSessions(pe, loops, job) };
});

export default program;

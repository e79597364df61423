/**
 * Collectives, figure 11 of Smelt's paper: a broadcast of a byte, a reduction and an allreduce of an integer, and a
 * barrier, each after two dissemination barriers, beside those of MPI and OpenMP in C (peers/c/rounds.h).
 *
 * Limits: ours send a number, which takes the cache line that a byte would take too. OpenMP has no broadcast; what its
 * reduction leaves is seen by all threads, so it does what an allreduce does.
 */

import type { Entry } from "../../../../microbench/turns/turns.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import type { CProgram } from "./smelt-c.ts";
import type { SmeltOptions } from "./smelt-options.ts";
import { type MeasuredRivals, measureRivals, type OurProgram, onPes, worlds } from "./smelt-rivals.ts";
import type { SmeltRoundsAnswer, SmeltRoundsJob } from "./smelt-rounds.program.ts";

/** 3000 rounds in a turn after those that are dropped; the paper counts the last 1000 of 3000. */
const FULL = { batches: 15, rounds: 200 };
const QUICK = { batches: 2, rounds: 5 };

/** @throws as {@link measureRivals} */
export async function smeltCollectives(options: SmeltOptions): Promise<MeasuredRivals> {
  const volume = options.quick ? QUICK : FULL;
  const ours: OurProgram<SmeltRoundsJob, SmeltRoundsAnswer> = {
    module: sibling("./smelt-rounds.program.js", import.meta.url),
    job: () => volume,
    entries: ({ samples }, size) =>
      samples.map((one): Entry => ({ ...one, name: "tundish", what: onPes(one.what, size) })),
  };
  const args = [`${volume.batches}`, `${volume.rounds}`];
  const active = { OMP_WAIT_POLICY: "active" };
  const programs: CProgram[] = [
    { name: "Open MPI", source: "rounds-mpi.c", by: "Open MPI", args },
    { name: "MPICH", source: "rounds-mpi.c", by: "MPICH", args },
    { name: "GOMP", source: "rounds-omp.c", by: "-fopenmp", args },
    { name: "GOMP, active", source: "rounds-omp.c", by: "-fopenmp", args, variables: active },
  ];
  return await measureRivals(
    worlds(ours, options.signal),
    programs,
    (sample, { name }, size) => ({ ...sample, name, what: onPes(sample.what, size) }),
    options,
  );
}

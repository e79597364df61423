/**
 * One process of an MPI job of `bench mpi` that measures who drives the links, a node: `node bench-mpi-drivers.program.js JOB`, where
 * JOB is a DriversJob as JSON. The process with rank 0 prints a line of JSON per measurement.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Mpi } from "../../src/mpi/mpi.ts";
import type { DriversJob } from "./drivers-job.ts";
import { measureDrivers } from "./drivers-measure.ts";

/** What a launcher has to read an error in, ms: one that is told to abort does not read to the end. */
const READ_MS = 300;

let mpi: Mpi | null = null;
try {
  mpi = Mpi.open();
  const samples = await measureDrivers(mpi, JSON.parse(process.argv[2]) as DriversJob);
  if (mpi.rank === 0) for (const one of samples) console.log(JSON.stringify(one));
  mpi.barrier();
  mpi.finalize();
} catch (error) {
  console.error(`bench-mpi: ${(error as Error).message}`.split("\n")[0]);
  process.exitCode = 1;
  await sleep(READ_MS);
  // the other process waits for what will not come
  mpi?.abort(1);
}

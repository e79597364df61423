/** One node of a job of MPI: runs the program of the conveyors' tests with the PEs that the node is to have; says what came. */
import { launcherOf } from "../../src/mpi/launcher.ts";
import { sibling } from "../../src/sibling.ts";
import { launch } from "../../src/world/launch.ts";
import type { Args } from "./conveyor.program.ts";

/** What the job is told, as JSON. */
export interface Job {
  /** PEs of each node. */
  readonly pes: readonly number[];
  readonly args: Args;
  readonly timeout: number;
}

const { pes, args, timeout } = JSON.parse(process.argv[2]) as Job;
const node = Number(process.env.OMPI_COMM_WORLD_RANK ?? process.env.PMI_RANK ?? 0);
const print = (said: object) => process.stdout.write(`${JSON.stringify({ node, ...said })}\n`);

try {
  if (launcherOf(process.env) === null) throw new Error("started without mpirun");
  const options = { pes: pes[node], args, timeout, waitTimeout: timeout, pin: false };
  const results = await launch(sibling("./conveyor.program.js", import.meta.url), options);
  print({ results });
} catch (error) {
  const { code, message, cause } = error as Error & { code?: string };
  print({ code, message, cause: cause instanceof Error ? cause.stack : undefined });
  process.exitCode = 1;
}

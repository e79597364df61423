/**
 * One process of an MPI job of a benchmark, a node: `node bench-mpi-node.program.js MODULE PES JOB`, where MODULE is
 * the URL of our program and JOB its arguments as JSON. The process with rank 0 prints a line of JSON per measurement,
 * as the C programs do.
 */
import { sentenceOf } from "../../../../src/ground/base/errors.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import type { MpiAnswer } from "./bench-mpi.program.ts";

const [, , module, pes, job] = process.argv;
try {
  const run = launch<MpiAnswer>(new URL(module), {
    args: JSON.parse(job),
    pes: Number(pes),
  });
  const answers = await run;
  const bound = answers.every((answer) => answer.bound);
  if (run.first === 0) {
    // the other nodes also have enough CPUs if this one has
    for (const entry of answers[0].entries) console.log(JSON.stringify({ ...entry, bound }));
  }
} catch (error) {
  const { cause } = error as Error;
  console.error(`bench-mpi: ${sentenceOf(cause instanceof Error ? cause : (error as Error))}`.split("\n")[0]);
  process.exitCode = 1;
}

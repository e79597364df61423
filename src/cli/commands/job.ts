/**
 * A command as a job of MPI: each process runs it, the first one speaks, and they end together.
 *
 * A process that fails says why, and ends the whole job with its exit code: the others would wait for it for ever.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { launcherOf } from "../../mpi/launcher.ts";
import { Mpi } from "../../mpi/mpi.ts";
import { type ExitCode, errorDocument, errorEntry, errorText } from "../terminal/exit.ts";
import type { Output } from "../terminal/output.ts";

/** What a launcher has to read an error in, ms. */
const READ_MS = 300;

/** Whether a launcher of MPI has started this process with others. */
export function isJob(env: NodeJS.ProcessEnv = process.env): boolean {
  const launcher = launcherOf(env);
  return launcher !== null && launcher.size !== 1;
}

/**
 * Runs a command in each process of the job; all but rank 0 are mute.
 * @throws NoMpiError
 */
export async function runJob(output: Output, work: (mpi: Mpi) => Promise<ExitCode>): Promise<ExitCode> {
  const mpi = Mpi.open();
  if (mpi.rank > 0) output.mute();
  try {
    const code = await work(mpi);
    mpi.barrier(); // nobody is to go whom others wait for
    mpi.finalize();
    return code;
  } catch (error) {
    process.stderr.write(errorText(error, output.verbose));
    const entry = errorEntry(error);
    if (output.json) output.print(errorDocument(entry));
    // a launcher that is told to abort does not read to the end what its processes have written
    await sleep(READ_MS);
    mpi.abort(entry.exitCode);
    return entry.exitCode;
  }
}

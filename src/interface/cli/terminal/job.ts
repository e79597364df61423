/**
 * A command as an MPI job: each process runs it, only the first one prints, and they end together.
 *
 * A process that fails reports its error and aborts the whole job with its exit code, as the others would wait for it
 * for ever.
 */
import { sleep } from "../../../ground/base/event-loop/timers.ts";
import { launcherOf } from "../../../machine/mpi/launcher.ts";
import { Mpi } from "../../../machine/mpi/mpi.ts";
import { type ExitCode, errorDocument, errorEntry, errorText } from "./exit.ts";
import type { CommandOutput } from "./output.ts";

/** Time for the launcher to read an error message, ms. */
const READ_MS = 300;

/** Whether an MPI launcher has started this process together with others. */
export function isJob(env: NodeJS.ProcessEnv = process.env): boolean {
  const launcher = launcherOf(env);
  return launcher !== null && launcher.size !== 1;
}

/** Runs a command in each process of the job; only rank 0 prints. @throws NoMpiError */
export async function runJob(output: CommandOutput, work: (mpi: Mpi) => Promise<ExitCode>): Promise<ExitCode> {
  const mpi = Mpi.open();
  if (mpi.rank > 0) output.mute();
  try {
    const code = await work(mpi);
    mpi.barrier(); // no process may exit while others wait for it
    mpi.finalize();
    return code;
  } catch (error) {
    process.stderr.write(errorText(error, output.verbose));
    const entry = errorEntry(error);
    if (output.json) output.print(errorDocument(entry));
    // a launcher that receives an abort does not read the rest of its processes' output
    await sleep(READ_MS);
    mpi.abort(entry.exitCode);
    return entry.exitCode;
  }
}

/**
 * The MPI job that this process is a node of: opened by the first launch, and closed when the process exits.
 *
 * A process that exits with an error ends the whole job with its exit code, as nobody else could go on. One that
 * cannot even do that, because the link to the launcher is down, is ended by an alarm.
 */
import { NoMpiError } from "../errors.ts";
import { launcherOf } from "../mpi/launcher.ts";
import { Mpi } from "../mpi/mpi.ts";
import { openLibrary } from "../native.ts";
import { setting } from "../settings.ts";
import { Control } from "./control.ts";

/** How long MPI_Abort may take, s. */
const ABORT_S = 10;

let control: Control | null | undefined;

/**
 * What the nodes of the job tell each other; null when this process is alone: no launcher has started it, or only
 * it, or TUNDISH_MPI is off.
 * @throws NoMpiError without a library that the launcher is of, or with one that does not admit several threads
 */
export function controlOfJob(): Control | null {
  control ??= openJob();
  return control;
}

function openJob(): Control | null {
  const launcher = launcherOf(process.env);
  if (launcher === null || launcher.size === 1 || setting("mpi") === "off") return null;
  const mpi = Mpi.open();
  process.once("exit", (code) => endJob(mpi, code));
  if (!mpi.isMultiple) {
    throw new NoMpiError(
      `Expected an MPI that all threads can use at the same time (MPI_THREAD_MULTIPLE), got one that cannot: ${mpi.version}. ` +
        "Take a build with thread support, or set TUNDISH_MPI=off to run on this node alone.",
    );
  }
  return mpi.size === 1 ? null : new Control(mpi);
}

function endJob(mpi: Mpi, code: number): void {
  if (code === 0) {
    control?.end();
    mpi.finalize();
    return;
  }
  try {
    const alarm = openLibrary("libc.so.6").func("unsigned int alarm(unsigned int seconds)");
    alarm(ABORT_S);
  } catch {
    // no libc of that name: then MPI alone decides how long it takes
  }
  mpi.abort(code);
}

/**
 * The MPI job that this process is a node of: opened by the first launch, and closed when the process exits.
 *
 * A process that exits with an error ends the whole job with its exit code, as nobody else could go on. One whose MPI
 * does not even manage that is ended by a timer.
 */
import { NoMpiError } from "../errors.ts";
import { launcherOf } from "../mpi/launcher.ts";
import { Mpi } from "../mpi/mpi.ts";
import { setting } from "../settings.ts";
import { Control } from "./control.ts";
import { exitWithin } from "./exit-timer.ts";

/** How long MPI_Abort may take, s: it does not return where the launcher cannot be reached. */
const ABORT_S = 10;
/** How long MPI_Finalize of MPICH may take, s: with UCX over TCP it never returns in one job of several (4.0.2, in C, too). */
const FINALIZE_S = 2;

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
  if (code !== 0) {
    exitWithin(ABORT_S, code);
    mpi.abort(code);
    return;
  }
  control?.end();
  // all nodes have said that they are done, so nothing is lost; Open MPI takes an exit like that for a failure
  if (mpi.library.abi.name === "MPICH") exitWithin(FINALIZE_S, 0);
  mpi.finalize();
}

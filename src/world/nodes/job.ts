/**
 * The MPI job that this process is a node of: opened by the first launch, in the main thread, and closed when the process exits; where it
 * exits in the middle of a world, when Node has ended the PEs.
 *
 * A process that exits with an error while others may wait for it ends the whole job with its exit code. Where all know
 * how the last world ended, or none has begun, each exits as it likes; to abort would be to kill those who are just telling their user.
 * Where MPI does not return, a timer ends the process.
 */
import { isMainThread } from "node:worker_threads";
import { NoMpiError, UsageError } from "../../base/errors.ts";
import { setting } from "../../base/settings.ts";
import { launcherOf } from "../../mpi/launcher.ts";
import { Mpi } from "../../mpi/mpi.ts";
import { Control } from "./control.ts";
import { exitWithin } from "./exit-timer.ts";

/** How long MPI_Abort may take, s: it does not return where the launcher cannot be reached. */
const ABORT_S = 10;
/**
 * How long a process that has lost a node waits to be ended by the launcher, s; with exit code 0, in MPI_Finalize. mpirun of Open MPI waits for ever for the
 * daemon of a host that it has lost when a process ends first (4.1.4); told to look (oob_tcp_keepalive_…), it ends all.
 */
const LINGER_S = 15;
/** How long MPI_Finalize may take after a failure of which all nodes know, s: the others may never come. */
const FINALIZE_S = 2;

/** Memory of worlds that have failed: MPI may be at work in it, for threads that are no more. */
const kept: unknown[] = [];

/** Keeps something as long as the process lives. */
export function keep(memory: unknown): void {
  kept.push(memory);
}

let control: Control | null | undefined;

/**
 * What the nodes of the job tell each other; null when this process is alone: no launcher has started it, or only
 * it, or TUNDISH_MPI is off.
 * @throws NoMpiError without a library that the launcher is of, or with one that does not admit several threads; UsageError in a
 *   worker
 */
export function controlOfJob(): Control | null {
  control ??= openJob();
  return control;
}

function openJob(): Control | null {
  const launcher = launcherOf(process.env);
  if (launcher === null || launcher.size === 1 || setting("mpi") === "off") return null;
  if (!isMainThread) {
    throw new UsageError(
      "launch: expected the main thread of a process that a launcher of MPI has started, got a worker: MPI belongs to the process, and " +
        "would end with the worker. Launch in the main thread, or set TUNDISH_MPI=off, and the world is of this process alone.",
    );
  }
  const mpi = Mpi.open();
  process.once("exit", (code) => endJob(mpi, code));
  if (!mpi.isMultiple) {
    throw new NoMpiError(
      `Expected an MPI that all threads can use at the same time (MPI_THREAD_MULTIPLE), got one that cannot: ${mpi.version.split(/[,\n]/)[0]}. ` +
        "Take a build with thread support, or set TUNDISH_MPI=off to run on this node alone.",
    );
  }
  return mpi.size === 1 ? null : new Control(mpi);
}

function endJob(mpi: Mpi, code: number): void {
  const isSettled = control?.isSettled ?? true;
  if (code !== 0 && control && !isSettled) {
    if (control.isCut && mpi.library.abi.name === "Open MPI") linger();
    exitWithin(ABORT_S, code);
    mpi.abort(code);
    return;
  }
  // a node that was lost never comes to MPI_Finalize; one that is still about its world may take a while
  if (!isSettled) exitWithin(LINGER_S, code);
  else if (code !== 0) exitWithin(FINALIZE_S, code);
  control?.bye(); // all have said before that they are done
  if (control?.isRunning) mpi.finalizeAtExit();
  else mpi.finalize();
}

function linger(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LINGER_S * 1000);
}

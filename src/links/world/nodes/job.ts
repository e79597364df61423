/**
 * The MPI job of which this process is a node. It is opened by the first launch, in the main thread, and closed when
 * the process exits. If the process exits in the middle of a world, it is closed after Node has ended the PEs.
 *
 * A process that exits with an error while others may wait for it aborts the whole job with its exit code. If all nodes
 * know how the last world ended, or if none has begun, each process exits by itself; an abort would kill processes that
 * are still reporting to their users. If MPI does not return, a timer ends the process.
 */
import { isMainThread } from "node:worker_threads";
import { NoMpiError, UsageError } from "../../../ground/base/errors.ts";
import { Mpi } from "../../../machine/mpi/mpi.ts";
import { Control } from "./control.ts";
import { exitWithin } from "./exit-timer.ts";

/** Limit of MPI_Abort, s: it does not return if the launcher cannot be reached. */
const ABORT_S = 10;
/**
 * Time that a process which lost a node waits for the launcher to end it, s; with exit code 0 it waits in MPI_Finalize.
 * If a process ends first, mpirun of Open MPI (4.1.4) waits for ever for the daemon of a lost host; with keepalive
 * settings (oob_tcp_keepalive_…) it ends all processes.
 */
const LINGER_S = 15;
/** Limit of MPI_Finalize after a failure known to all nodes, s: other nodes may never call it. */
const FINALIZE_S = 2;

/** Memory of failed worlds: MPI may still access it, for threads that have exited. */
const kept: unknown[] = [];

/** Keeps a reference for the lifetime of the process. */
export function keep(memory: unknown): void {
  kept.push(memory);
}

let control: Control | null | undefined;

/**
 * The control messages of the job, of a process in one (in-job.ts); null if it is alone there.
 * @throws NoMpiError without the launcher's library, or with one that does not support several threads; UsageError in a
 *   worker
 */
export function controlOfJob(): Control | null {
  control ??= openJob();
  return control;
}

function openJob(): Control | null {
  if (!isMainThread) {
    throw new UsageError(
      "launch: expected the main thread of a process of a process started by an MPI launcher, got a worker: MPI belongs to the process and " +
        "would end with the worker. Launch in the main thread, or set TUNDISH_MPI=off for a world of this process alone.",
    );
  }
  const mpi = Mpi.open();
  process.once("exit", (code) => endJob(mpi, code));
  if (!mpi.isMultiple) {
    throw new NoMpiError(
      `Expected an MPI that all threads can use at the same time (MPI_THREAD_MULTIPLE), got ${mpi.version.split(/[,\n]/)[0]}. ` +
        "Install a build with thread support, or set TUNDISH_MPI=off to run on this node alone.",
    );
  }
  return mpi.size === 1 ? null : new Control(mpi);
}

function endJob(mpi: Mpi, code: number): void {
  const isSettled = control?.isSettled ?? true;
  if (code !== 0 && control && !isSettled) {
    if (control.isCut && mpi.library.maker === "Open MPI") linger();
    exitWithin(ABORT_S, code);
    mpi.abort(code);
    return;
  }
  // a lost node never calls MPI_Finalize; a node that is still in its world may take a while
  if (!isSettled) exitWithin(LINGER_S, code);
  else if (code !== 0) exitWithin(FINALIZE_S, code);
  control?.bye(); // all nodes have reported the end of the last world
  if (control?.isRunning) mpi.finalizeAtExit();
  else mpi.finalize();
}

function linger(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LINGER_S * 1000);
}

/**
 * MPI, reduced to what Tundish needs: the rank, sending and receiving bytes, and the end of a job.
 *
 * The main thread of a process opens it once, and closes it when the process ends. Workers of the process may then call
 * it as well, each with its own {@link Requests}, if the library supports concurrent threads.
 *
 * MPI's errors become {@link MpiError}s with MPI's text; the library is set to return them instead of ending the
 * process.
 *
 * Source: MPI 3.1 standard, chapters 3, 8 and 12.
 */
import { MpiError, NoMpiError } from "../../ground/base/errors.ts";
import { callAtExit } from "./at-exit.ts";
import { keepOpen } from "./keep-open.ts";
import { checkReach, type Launcher, launcherOf } from "./launcher.ts";
import { type MpiLibrary, openMpiLibrary, versionOf } from "./library.ts";
import { finalizeLauncher } from "./pmi.ts";
import { Requests } from "./requests.ts";

/** At least MPI_MAX_ERROR_STRING. */
const TEXT_BYTES = 8192;

/** The flag that a call returns. */
function isTrue(ask: (flag: Int32Array) => number): boolean {
  const flag = new Int32Array(1);
  ask(flag);
  return flag[0] !== 0;
}

/** The text that a call returns. */
function textOf(ask: (text: Uint8Array, length: Int32Array) => number): string {
  const text = new Uint8Array(TEXT_BYTES);
  const length = new Int32Array(1);
  ask(text, length);
  // Open MPI's length includes the terminating zero
  return Buffer.from(text.subarray(0, length[0]))
    .toString()
    .replace(/[\0\s]+$/, "");
}

/**
 * Lets calls of Open MPI that find nothing to do yield their CPU, unless the user says otherwise: there are more
 * threads than CPUs where PEs share some, and those that wait inside the library, as for the lock of a window, would
 * each use up their time slice.
 */
function yieldWhenIdle({ maker }: MpiLibrary): void {
  if (maker === "Open MPI") process.env.OMPI_MCA_mpi_yield_when_idle ??= "1";
}

function check({ functions, file }: MpiLibrary, call: string, code: number): void {
  if (code === 0) return;
  const text = textOf((into, length) => functions.errorString(code, into, length));
  throw new MpiError(`${call}: ${text || "no text"} (error ${code} of ${file})`);
}

/** The MPI of a process, as seen by one of its threads. */
export class Mpi {
  readonly library: MpiLibrary;
  /** The rank of this process in the job. */
  readonly rank: number;
  readonly size: number;
  /** Whether several threads may call it at the same time. */
  readonly isMultiple: boolean;
  /** The connection to the launcher in the process that opened MPI; null if there is none. */
  readonly #launcherFd: number | null;
  #isClosed = false;

  /**
   * Opens MPI. Call it on the main thread, once in a process.
   * @throws NoMpiError without a library, or with one that is not the launcher's or supports one thread only
   */
  static open(env: NodeJS.ProcessEnv = process.env): Mpi {
    const launcher = launcherOf(env);
    if (launcher !== null) checkReach(launcher);
    const library = openMpiLibrary(launcher?.name);
    if (isTrue((flag) => library.functions.initialized(flag))) {
      throw new NoMpiError("MPI is open in this process already; it can be opened once. Use join().");
    }
    keepOpen(library.file);
    yieldWhenIdle(library);
    const level = new Int32Array(1);
    const error = library.functions.initThread(null, null, library.abi.multiple, level);
    check(library, "MPI_Init_thread", error);
    const mpi = new Mpi(library, launcher?.fd);
    mpi.#checkUse(level[0], launcher);
    return mpi;
  }

  /** The MPI that the main thread has opened, for a worker of its process. @throws NoMpiError if it has not */
  static join(env: NodeJS.ProcessEnv = process.env): Mpi {
    const library = openMpiLibrary(launcherOf(env)?.name);
    if (!isTrue((flag) => library.functions.initialized(flag))) {
      throw new NoMpiError("MPI is not open in this process: the main thread must open it before a worker joins.");
    }
    return new Mpi(library);
  }

  private constructor(library: MpiLibrary, launcherFd: number | null = null) {
    this.library = library;
    this.#launcherFd = launcherFd;
    const { functions, world, errorsReturn } = library;
    this.check("MPI_Comm_set_errhandler", functions.setErrhandler(world, errorsReturn));
    this.isMultiple = this.#number("MPI_Query_thread", (out) => functions.queryThread(out)) >= library.abi.multiple;
    this.rank = this.#number("MPI_Comm_rank", (out) => functions.rank(world, out));
    this.size = this.#number("MPI_Comm_size", (out) => functions.size(world, out));
  }

  #checkUse(level: number, launcher: Launcher | null): void {
    const { file, abi, maker } = this.library;
    if (launcher !== null && launcher.size > 1 && this.size === 1) {
      this.finalize();
      throw new NoMpiError(
        `The launcher, of ${launcher.name}, has started ${launcher.size} processes, but ${file} (${maker}) sees one only: ` +
          `they belong to different MPI installations. Start the program with the mpirun of ${maker}, or set TUNDISH_LIBMPI to the library of the launcher.`,
      );
    }
    if (level < abi.serialized) {
      this.finalize();
      throw new NoMpiError(
        `Expected an MPI that several threads can use (MPI_THREAD_SERIALIZED at least), got level ${level} from ${file}. ` +
          "Install a build with thread support.",
      );
    }
  }

  /** The library's version text, such as `Open MPI v4.1.4, …`. */
  get version(): string {
    return versionOf(this.library);
  }

  /** Waits until all ranks have called it. @throws MpiError */
  barrier(): void {
    const { functions, world } = this.library;
    this.check("MPI_Barrier", functions.barrier(world));
  }

  /** Gathers the bytes of all ranks, in order; each passes the same number. @throws MpiError */
  allgather(bytes: Uint8Array): Uint8Array {
    const { functions, byte, world } = this.library;
    const { length } = bytes;
    const all = new Uint8Array(length * this.size);
    this.check("MPI_Allgather", functions.allgather(bytes, length, byte, all, length, byte, world));
    return all;
  }

  /** Makes slots for `size` sends and receives of the calling thread. */
  requests(size: number): Requests {
    return new Requests(this, size);
  }

  /** Aborts the job, that is, all its ranks, with an exit code. */
  abort(code: number): void {
    const { functions, world } = this.library;
    functions.abort(world, code);
  }

  /**
   * Closes MPI, once, in the thread that opened it. All ranks must do so, or the job counts as failed. Messages that
   * others have not received may be lost. With MPICH, MPI_Finalize is skipped if the launcher can be notified instead
   * (pmi.ts).
   * @throws MpiError
   */
  finalize(): void {
    if (this.#toldLauncher()) return;
    this.check("MPI_Finalize", this.library.functions.finalize());
  }

  /**
   * As {@link finalize}, for a process that exits while its workers may be in MPI: MPI_Finalize is called when Node has
   * ended them. Its result is ignored.
   */
  finalizeAtExit(): void {
    if (this.#toldLauncher()) return;
    const { file, functions, finalizeAt } = this.library;
    if (!callAtExit(file, finalizeAt)) this.check("MPI_Finalize", functions.finalize());
  }

  /** Reports the end of this process to the launcher; returns whether MPI_Finalize can be skipped. */
  #toldLauncher(): boolean {
    if (this.#isClosed) return true;
    this.#isClosed = true;
    return this.#launcherFd !== null && finalizeLauncher(this.#launcherFd);
  }

  /** @throws MpiError for an error code */
  check(call: string, code: number): void {
    check(this.library, call, code);
  }

  #number(call: string, ask: (out: Int32Array) => number): number {
    const out = new Int32Array(1);
    this.check(call, ask(out));
    return out[0];
  }
}

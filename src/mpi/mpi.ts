/**
 * MPI, as little of it as Tundish needs: who we are, bytes there and back, and the end of a job.
 *
 * What: the main thread of a process opens it, once, and closes it when the process ends. Workers of the process may call it then
 * as well, each its own {@link Requests}, when the library admits several threads at once.
 *
 * MPI's own errors become {@link MpiError}s with MPI's text; the library is told to return them and not to kill the process.
 *
 * Source: MPI 3.1 standard, chapters 3, 8 and 12.
 */
import { MpiError, NoMpiError } from "../base/errors.ts";
import { callAtExit } from "./at-exit.ts";
import { checkReach, type Launcher, launcherOf } from "./launcher.ts";
import { type MpiLibrary, openMpiLibrary, versionOf } from "./library.ts";
import { finalizeLauncher } from "./pmi.ts";
import { Requests } from "./requests.ts";

/** MPI_THREAD_SERIALIZED and MPI_THREAD_MULTIPLE, the same numbers in all libraries. */
const SERIALIZED = 2;
const MULTIPLE = 3;
/** MPI_MAX_ERROR_STRING, at least. */
const TEXT_BYTES = 8192;

/** What a call answers that gives a flag. */
function isTrue(ask: (flag: Int32Array) => number): boolean {
  const flag = new Int32Array(1);
  ask(flag);
  return flag[0] !== 0;
}

/** What a call answers that gives a text. */
function textOf(ask: (text: Uint8Array, length: Int32Array) => number): string {
  const text = new Uint8Array(TEXT_BYTES);
  const length = new Int32Array(1);
  ask(text, length);
  // Open MPI counts the zero behind its version in
  return Buffer.from(text.subarray(0, length[0]))
    .toString()
    .replace(/[\0\s]+$/, "");
}

function check({ functions, file }: MpiLibrary, call: string, code: number): void {
  if (code === 0) return;
  const text = textOf((into, length) => functions.errorString(code, into, length));
  throw new MpiError(`${call}: ${text || "no text"} (error ${code} of ${file})`);
}

/** The MPI of a process, seen from one of its threads. */
export class Mpi {
  /** @internal */
  readonly library: MpiLibrary;
  /** Of this process in the job. */
  readonly rank: number;
  readonly size: number;
  /** Whether several threads may call it at the same time. */
  readonly isMultiple: boolean;
  /** Of the process that has opened it, by which its launcher can be told of the end; null for another way. */
  readonly #launcherFd: number | null;
  #isClosed = false;

  /**
   * Opens MPI. Call it on the main thread, once in a process.
   * @throws NoMpiError without a library, with one that is not that of the launcher, or that admits one thread only
   */
  static open(env: NodeJS.ProcessEnv = process.env): Mpi {
    const launcher = launcherOf(env);
    if (launcher !== null) checkReach(launcher);
    const library = openMpiLibrary(launcher?.name);
    if (isTrue((flag) => library.functions.initialized(flag))) {
      throw new NoMpiError("MPI is open in this process already: join() it, it is opened once.");
    }
    const level = new Int32Array(1);
    const error = library.functions.initThread(null, null, MULTIPLE, level);
    check(library, "MPI_Init_thread", error);
    const mpi = new Mpi(library, launcher?.fd);
    mpi.#checkUse(level[0], launcher);
    return mpi;
  }

  /**
   * The MPI that the main thread has opened, for a worker of its process.
   * @throws NoMpiError when it has not
   */
  static join(env: NodeJS.ProcessEnv = process.env): Mpi {
    const library = openMpiLibrary(launcherOf(env)?.name);
    if (!isTrue((flag) => library.functions.initialized(flag))) {
      throw new NoMpiError(
        "MPI is not open in this process: the main thread opens it before any worker joins.",
      );
    }
    return new Mpi(library);
  }

  private constructor(library: MpiLibrary, launcherFd: number | null = null) {
    this.library = library;
    this.#launcherFd = launcherFd;
    const { functions, world, errorsReturn } = library;
    this.check("MPI_Comm_set_errhandler", functions.setErrhandler(world, errorsReturn));
    this.isMultiple = this.#number("MPI_Query_thread", (out) => functions.queryThread(out)) >= MULTIPLE;
    this.rank = this.#number("MPI_Comm_rank", (out) => functions.rank(world, out));
    this.size = this.#number("MPI_Comm_size", (out) => functions.size(world, out));
  }

  #checkUse(level: number, launcher: Launcher | null): void {
    const { file, abi } = this.library;
    if (launcher !== null && launcher.size > 1 && this.size === 1) {
      this.finalize();
      throw new NoMpiError(
        `The launcher, of ${launcher.name}, has started ${launcher.size} processes, and ${file} (${abi.name}) finds one only: ` +
          `they are not of the same MPI. Start it with the mpirun of ${abi.name}, or set TUNDISH_LIBMPI to the library of the launcher.`,
      );
    }
    if (level < SERIALIZED) {
      this.finalize();
      throw new NoMpiError(
        `Expected an MPI that several threads can use (MPI_THREAD_SERIALIZED at least), got level ${level} from ${file}. ` +
          "Take a build with thread support.",
      );
    }
  }

  /** The library's own words, such as `Open MPI v4.1.4, …`. */
  get version(): string {
    return versionOf(this.library);
  }

  /** Waits until all ranks have called it. @throws MpiError */
  barrier(): void {
    const { functions, world } = this.library;
    this.check("MPI_Barrier", functions.barrier(world));
  }

  /** The bytes of all ranks, in order; each gives as many. @throws MpiError */
  allgather(bytes: Uint8Array): Uint8Array {
    const { functions, byte, world } = this.library;
    const { length } = bytes;
    const all = new Uint8Array(length * this.size);
    this.check("MPI_Allgather", functions.allgather(bytes, length, byte, all, length, byte, world));
    return all;
  }

  /** Room for `size` sends and receives of the calling thread. */
  requests(size: number): Requests {
    return new Requests(this, size);
  }

  /** Ends the job, all ranks of it, with an exit code. */
  abort(code: number): void {
    const { functions, world } = this.library;
    functions.abort(world, code);
  }

  /**
   * Closes MPI, once, in the thread that has opened it; all ranks do, or the job ends as one that has failed. What others have not
   * received may be lost. MPICH is left open where its launcher can be told the same (pmi.ts).
   * @throws MpiError
   */
  finalize(): void {
    if (this.#toldLauncher()) return;
    this.check("MPI_Finalize", this.library.functions.finalize());
  }

  /**
   * As {@link finalize}, for a process that exits while its workers may be in MPI: MPI_Finalize is called when Node has ended them.
   * What it says then, nobody hears.
   */
  finalizeAtExit(): void {
    if (this.#toldLauncher()) return;
    const { file, functions, finalizeAt } = this.library;
    if (!callAtExit(file, finalizeAt)) this.check("MPI_Finalize", functions.finalize());
  }

  /** Closes MPI for this process; whether MPI_Finalize need not be called. */
  #toldLauncher(): boolean {
    if (this.#isClosed) return true;
    this.#isClosed = true;
    return this.#launcherFd !== null && finalizeLauncher(this.#launcherFd);
  }

  /** @internal @throws MpiError for a code that is none of success */
  check(call: string, code: number): void {
    check(this.library, call, code);
  }

  #number(call: string, ask: (out: Int32Array) => number): number {
    const out = new Int32Array(1);
    this.check(call, ask(out));
    return out[0];
  }
}

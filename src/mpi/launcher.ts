/** What the launcher of an MPI job tells its processes in their environment. */
import { fstatSync } from "node:fs";
import { NoMpiError } from "../base/errors.ts";
import type { Abi } from "./abi.ts";

/** A launcher that has started this process. */
export interface Launcher {
  readonly name: Abi["name"];
  /** Ranks of the job; 0 when it does not say. */
  readonly size: number;
  /** The file descriptor by which it talks to this process; null for another way. */
  readonly fd: number | null;
}

/**
 * The launcher that has started this process; null when none has.
 *
 * Source: Open MPI's documentation of its environment variables; the PMI-1 variables of MPICH's hydra, which Intel MPI and Slurm
 * (`srun --mpi=pmi2`) set as well.
 */
export function launcherOf(env: NodeJS.ProcessEnv): Launcher | null {
  if (env.OMPI_COMM_WORLD_SIZE !== undefined)
    return { name: "Open MPI", size: numberOf(env.OMPI_COMM_WORLD_SIZE), fd: null };
  if (env.PMI_SIZE === undefined) return null;
  const fd = env.PMI_FD === undefined ? null : numberOf(env.PMI_FD);
  return { name: "MPICH", size: numberOf(env.PMI_SIZE), fd };
}

/** Whether this process is the first of its job, or of none. */
export const isFirst = (env: NodeJS.ProcessEnv): boolean =>
  Number(env.OMPI_COMM_WORLD_RANK ?? env.PMI_RANK ?? 0) === 0;

/** Passes when the launcher can be talked to: MPI_Init would end the process. @throws NoMpiError */
export function checkReach({ name, fd }: Launcher): void {
  if (fd === null) return;
  // by another program in between it may have been closed, and its number used for something else
  if (isSocket(fd)) return;
  throw new NoMpiError(
    `Expected the connection to the launcher, of ${name}, at file descriptor ${fd} (PMI_FD), and it is not there: a program ` +
      "between the launcher and this one, such as npx or npm, has not passed it on. Start node itself: " +
      "mpirun … node_modules/.bin/tundish run app.js, or mpirun … node app.js.",
  );
}

function isSocket(fd: number): boolean {
  try {
    return fstatSync(fd).isSocket();
  } catch {
    return false; // closed
  }
}

const numberOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : 0);

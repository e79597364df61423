/** The environment variables that the launcher of an MPI job passes to its processes. */
import { fstatSync, statSync } from "node:fs";
import { NoMpiError } from "../../ground/base/errors.ts";

/** Whose a launcher is. */
export type LauncherName = "Open MPI" | "MPICH";

/** The launcher that started this process. */
export interface Launcher {
  readonly name: LauncherName;
  /** Number of ranks of the job; 0 if unknown. */
  readonly size: number;
  /** The file descriptor of the connection to this process; null if there is none. */
  readonly fd: number | null;
}

/**
 * The launcher that started this process; null if none did.
 *
 * Source: Open MPI's documentation of its environment variables; the PMI-1 variables of MPICH's hydra, which Intel MPI
 * and Slurm (`srun --mpi=pmi2`) set as well; the PMIx variables, which Slurm (`srun --mpi=pmix`) sets without Open
 * MPI's.
 */
export function launcherOf(env: NodeJS.ProcessEnv): Launcher | null {
  if (env.OMPI_COMM_WORLD_SIZE !== undefined)
    return { name: "Open MPI", size: numberOf(env.OMPI_COMM_WORLD_SIZE), fd: null };
  if (env.PMI_SIZE === undefined) {
    if (env.PMIX_RANK === undefined) return null;
    return { name: "Open MPI", size: numberOf(env.SLURM_STEP_NUM_TASKS ?? ""), fd: null };
  }
  const fd = env.PMI_FD === undefined ? null : numberOf(env.PMI_FD);
  return { name: "MPICH", size: numberOf(env.PMI_SIZE), fd };
}

/**
 * A warning if Slurm has started this process beside others that it has no connection to; else null. Only MPI's
 * plugins of srun make one, and a cluster may use none by default.
 */
export function aloneWarning(env: NodeJS.ProcessEnv): string | null {
  const tasks = numberOf(env.SLURM_STEP_NUM_TASKS ?? "");
  if (tasks <= 1 || launcherOf(env) !== null) return null;
  return (
    `srun has started ${tasks} processes without MPI: each is a world of its own. Expected srun --mpi=pmix (Open MPI) or ` +
    "srun --mpi=pmi2 (MPICH); TUNDISH_MPI=off if this is meant."
  );
}

/** Whether this process is the first of its job, or is not in a job. */
export const isFirst = (env: NodeJS.ProcessEnv): boolean =>
  Number(env.OMPI_COMM_WORLD_RANK ?? env.PMI_RANK ?? env.PMIX_RANK ?? 0) === 0;

/** Checks that the launcher can be reached; otherwise MPI_Init would end the process. @throws NoMpiError */
export function checkReach({ name, fd }: Launcher): void {
  if (fd === null) return;
  // a program in between may have closed it, and its number may have been reused
  if (isSocket(fd)) return;
  throw new NoMpiError(
    `Expected the connection to the launcher, of ${name}, at file descriptor ${fd} (PMI_FD), but it is closed: a program ` +
      "between the launcher and this one, such as npx or npm, has not inherited it. Start node itself: " +
      "mpirun … node_modules/.bin/tundish run app.js, or mpirun … node app.js.",
  );
}

function isSocket(fd: number): boolean {
  // the path is in /proc, which may be hidden; fstat() of Deno knows only the descriptors that Deno has opened
  for (const stat of [() => fstatSync(fd), () => statSync(`/dev/fd/${fd}`)]) {
    try {
      return stat().isSocket();
    } catch {
      // closed, or not seen in this way
    }
  }
  return false;
}

const numberOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : 0);

/** What the launcher of an MPI job tells its processes in their environment. */
import type { Abi } from "./abi.ts";

/** A launcher that has started this process. */
export interface Launcher {
  readonly name: Abi["name"];
  /** Ranks of the job; 0 when it does not say. */
  readonly size: number;
}

/**
 * The launcher that has started this process; null when none has.
 *
 * Source: Open MPI's documentation of its environment variables; the PMI-1 variables of MPICH's hydra, which Intel MPI and Slurm
 * (`srun --mpi=pmi2`) set as well.
 */
export function launcherOf(env: NodeJS.ProcessEnv): Launcher | null {
  if (env.OMPI_COMM_WORLD_SIZE !== undefined)
    return { name: "Open MPI", size: numberOf(env.OMPI_COMM_WORLD_SIZE) };
  if (env.PMI_SIZE !== undefined) return { name: "MPICH", size: numberOf(env.PMI_SIZE) };
  return null;
}

const numberOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : 0);

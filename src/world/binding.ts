/** A launcher that binds a process to one core leaves all its PEs to share that. */
import type { Topology } from "../machine/types.ts";

/**
 * What to say where a launcher has bound this process to a single CPU of several; null where it has not.
 *
 * mpirun of Open MPI does so for up to two ranks, unless it is told `--bind-to none` (mpirun(1), "Mapping, Ranking, and
 * Binding").
 */
export function bindingWarning(topology: Topology): string | null {
  const allowed = topology.cpus.filter((cpu) => cpu.allowed);
  if (allowed.length > 1 || topology.cpus.length === 1) return null;
  return (
    `The launcher has bound this process to CPU ${allowed[0]?.cpu} of ${topology.cpus.length}, and all its PEs share that one. ` +
    "Start one process per node and let it have the cores: mpirun --bind-to none, or srun --cpu-bind=none."
  );
}

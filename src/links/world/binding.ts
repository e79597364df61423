/** Detects that a launcher has bound this process to one core, which all its PEs would share. */
import type { Topology } from "../../machine/model/machine-model.ts";

/**
 * A warning if a launcher has bound this process to a single CPU of several; else null.
 *
 * mpirun of Open MPI does so for up to two ranks, unless it has the option `--bind-to none` (mpirun(1), "Mapping,
 * Ranking, and Binding"). srun gives a task one CPU, unless it is a step of a job or has the option `--cpus-per-task`.
 */
export function bindingWarning(topology: Topology): string | null {
  const allowed = topology.cpus.filter((cpu) => cpu.allowed);
  if (allowed.length > 1 || topology.cpus.length === 1) return null;
  return (
    `The launcher has bound this process to CPU ${allowed[0]?.cpu} of ${topology.cpus.length}, which all its PEs share. ` +
    "Start one process per node and let it have the cores: mpirun --bind-to none, or srun --cpus-per-task=CORES --cpu-bind=none."
  );
}

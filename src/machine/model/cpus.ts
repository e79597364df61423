/** Checks that every PE of a model has a CPU of its own. A separate file, for threads that do not load the schema. */

import { formatCpuList } from "node-hwloc/cpu-list";
import { ModelError } from "../../ground/base/errors.ts";

/** Checks that no two PEs have the same CPU; PEs without a CPU are allowed. @throws ModelError with the path */
export function checkCpus(pes: readonly { readonly cpu?: number }[]): void {
  const users = new Map<number, number>();
  pes.forEach(({ cpu }, i) => {
    if (cpu === undefined) return;
    const other = users.get(cpu);
    if (other !== undefined) {
      const path = `pes.${i}.cpu`;
      throw new ModelError(path, `${path}: expected a CPU of its own, got ${cpu}, which pes.${other} has too`);
    }
    users.set(cpu, i);
  });
}

/** `CPU 3`, `CPUs 0-3,8`. */
export function cpusText(cpus: readonly number[]): string {
  return `CPU${cpus.length === 1 ? "" : "s"} ${formatCpuList(cpus)}`;
}

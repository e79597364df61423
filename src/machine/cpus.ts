/** The check that every PE of a model has a CPU of its own; light, for threads that load no schema. */

import { ModelError } from "../base/errors.ts";
import { formatCpuList } from "./node-hwloc/cpulist.ts";

/** Passes when no two PEs name one CPU; those that name none are let through. @throws ModelError with the place */
export function checkCpus(pes: readonly { readonly cpu?: number }[]): void {
  const users = new Map<number, number>();
  pes.forEach(({ cpu }, i) => {
    if (cpu === undefined) return;
    const other = users.get(cpu);
    if (other !== undefined) {
      const path = `pes.${i}.cpu`;
      throw new ModelError(
        path,
        `${path}: expected a CPU of its own, got ${cpu}, which pes.${other} has too`,
      );
    }
    users.set(cpu, i);
  });
}

/** `CPU 3`, `CPUs 0-3,8`. */
export function cpusText(cpus: readonly number[]): string {
  return `CPU${cpus.length === 1 ? "" : "s"} ${formatCpuList(cpus)}`;
}

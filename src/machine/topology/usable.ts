/**
 * The CPUs to place PEs on: those that this process may use, one per physical core, no more than its CPU quota allows,
 * near ones together.
 *
 * Two spinning threads on one core slow each other down, and with more spinning threads than the quota, threads are
 * throttled while they run. Hence one per core, and the limit.
 *
 * Example: 2 packages of 2 cores of 2 threads (CPUs 0 and 4 are siblings, and so on), CPU 0 not allowed, no quota: [4,
 * 1, 2, 3]. With a quota of 2.5 cores: [4, 1].
 */
import { EnvironmentError } from "../../ground/base/errors.ts";
import type { Cpu, Topology } from "../model/machine-model.ts";

/** Options of {@link usableCpus}. */
export interface UsableOptions {
  /** Whether to use all hardware threads of a core, not only the first. @default false */
  readonly smt?: boolean | undefined;
}

/**
 * The CPUs for PEs, in the order of their ranks: by package, NUMA node, last-level cache, core.
 * @throws EnvironmentError if this process may use none of the topology's CPUs
 */
export function usableCpus(topology: Topology, options: UsableOptions = {}): Cpu[] {
  const seen = new Map<number, number>();
  const candidates = topology.cpus
    .filter((cpu) => cpu.allowed)
    .sort(byPlace)
    .map((cpu) => {
      const sibling = seen.get(cpu.core) ?? 0;
      seen.set(cpu.core, sibling + 1);
      return { cpu, sibling };
    })
    .filter(({ sibling }) => options.smt || sibling === 0);
  if (candidates.length === 0) {
    throw new EnvironmentError(
      "Expected at least one CPU that this process may use, got none. See Cpus_allowed_list in /proc/self/status.",
    );
  }
  const cap = topology.quota === null ? candidates.length : Math.max(1, Math.floor(topology.quota));
  // if the number is limited, a core of its own is better than a sibling nearby
  return candidates
    .sort((a, b) => a.sibling - b.sibling)
    .slice(0, cap)
    .map(({ cpu }) => cpu)
    .sort(byPlace);
}

function byPlace(a: Cpu, b: Cpu): number {
  return (
    (a.package ?? 0) - (b.package ?? 0) ||
    (a.numa ?? 0) - (b.numa ?? 0) ||
    (a.l3 ?? 0) - (b.l3 ?? 0) ||
    a.core - b.core ||
    a.cpu - b.cpu
  );
}

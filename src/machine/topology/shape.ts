/**
 * Converts what a source found into a {@link Topology}. Cores, caches and NUMA nodes are numbered only here, so that
 * all sources number them alike.
 *
 * Cores and last-level caches have no numbers that are unique in the machine (the kernel's core_id starts anew in each
 * package), so they are numbered by their lowest CPU. Packages and NUMA nodes keep the operating system's numbers.
 *
 * Example: cores {0,4} {1,5} {2,6} {3,7} with a cache over {0,1,4,5} and one over {2,3,6,7} give CPU 6 core 2, l3 1.
 */
import { cpus as osCpus, totalmem } from "node:os";
import type { Cache, NumaNode, Topology } from "../model/machine-model.ts";
import { readProcessBinding } from "./affinity.ts";
import { cpuQuota } from "./cgroup.ts";

/** The result of a source, with CPUs by the operating system's numbers. */
export interface FoundTopology {
  readonly source: Topology["source"];
  /** null: take the operating system's (this machine only). */
  readonly brand: string | null;
  readonly isThisMachine: boolean;
  readonly cpus: readonly number[];
  /** The CPUs that this process may use according to the source; null: no limit. */
  readonly allowed: readonly number[] | null;
  /** The hardware threads of each physical core; CPUs in none are cores of their own. */
  readonly cores: readonly (readonly number[])[];
  readonly packages: readonly { readonly id: number; readonly cpus: readonly number[] }[];
  readonly caches: readonly Cache[];
  readonly numaNodes: readonly NumaNode[];
  readonly notes: readonly string[];
}

/** The topology; adds this machine's affinity mask, CPU quota and memory. */
export function toTopology(found: FoundTopology): Topology {
  const cpus = ascending(found.cpus);
  const here = found.isThisMachine;
  const allowed = found.allowed && new Set(found.allowed);
  const mask = here ? readProcessBinding() : null;
  const bound = mask && new Set(mask);
  const inCore = new Set(found.cores.flat());
  const coreOf = numbered([...found.cores, ...cpus.filter((cpu) => !inCore.has(cpu)).map((cpu) => [cpu])]);
  const l3Of = numbered(lastLevel(found.caches));
  const nodeBytes = found.numaNodes.reduce((sum, node) => sum + (node.bytes ?? 0), 0);
  return {
    source: found.source,
    brand: found.brand ?? hostBrand(),
    isThisMachine: here,
    cpus: cpus.map((cpu) => ({
      cpu,
      core: coreOf.get(cpu) as number,
      l3: l3Of.get(cpu) ?? null,
      numa: nearestNode(found.numaNodes, cpu),
      package: found.packages.find((one) => one.cpus.includes(cpu))?.id ?? null,
      allowed: (allowed?.has(cpu) ?? true) && (bound?.has(cpu) ?? true),
    })),
    caches: [...found.caches].sort(byLevel),
    numaNodes: [...found.numaNodes].sort((a, b) => a.node - b.node),
    memoryBytes: here ? totalmem() : nodeBytes || null,
    quota: here ? cpuQuota() : null,
    notes: found.notes,
  };
}

/** A copy in ascending order. */
function ascending(numbers: Iterable<number>): number[] {
  return [...numbers].sort((a, b) => a - b);
}

/** The processor's name as Node reports it, independent of the source of the topology. */
export function hostBrand(): string {
  const model = osCpus()[0]?.model.replace(/\s+/g, " ").trim();
  return model && model !== "unknown" ? model : `${process.arch} processor`;
}

/** By CPU: the number of its set; sets are numbered by their lowest CPU. */
function numbered(sets: readonly (readonly number[])[]): Map<number, number> {
  const numbers = new Map<number, number>();
  const sorted = sets.filter((set) => set.length > 0).sort((a, b) => Math.min(...a) - Math.min(...b));
  sorted.forEach((set, number) => {
    for (const cpu of set) numbers.set(cpu, number);
  });
  return numbers;
}

/** The last-level cache of each CPU; each such cache once. */
function lastLevel(caches: readonly Cache[]): (readonly number[])[] {
  const highest = new Map<number, Cache>();
  for (const cache of caches) {
    if (cache.type === "instruction") continue;
    for (const cpu of cache.cpus) {
      if (cache.level > (highest.get(cpu)?.level ?? 0)) highest.set(cpu, cache);
    }
  }
  return [...new Set(highest.values())].map((cache) => cache.cpus);
}

/** Of several nodes of a CPU (one of fast memory, for example) that with the fewest CPUs, then the first. */
function nearestNode(nodes: readonly NumaNode[], cpu: number): number | null {
  const near = nodes.filter((node) => node.cpus.includes(cpu));
  near.sort((a, b) => a.cpus.length - b.cpus.length || a.node - b.node);
  return near[0]?.node ?? null;
}

/** Not by localeCompare, whose first call takes 4 ms. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function byLevel(a: Cache, b: Cache): number {
  return a.level - b.level || inOrder(a.type, b.type) || (a.cpus[0] ?? 0) - (b.cpus[0] ?? 0);
}

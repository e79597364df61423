/**
 * A machine's shape as text, from packages inwards, like lstopo:
 *
 *     Package 0
 *       NUMA node 0 (15.6 GiB)
 *         L3 32 MiB
 *           Core 0: CPUs 0,8; L2 512 KiB, L1d 32 KiB, L1i 32 KiB
 *
 * An unknown level is left out. Machines with many cores have one line for all cores under a last-level cache.
 */

import { formatCpuList } from "node-hwloc/cpu-list";
import { bytesText, countText } from "../../../ground/base/units.ts";
import { cpusText } from "../../../machine/model/cpus.ts";
import type { Cache, Cpu, Topology } from "../../../machine/model/machine-model.ts";
import { wrapText } from "../terminal/wrap.ts";

/** Up to this number of cores each has a line of its own. */
const MOST_CORE_LINES = 16;

/** The topology as lines of text. */
export function topologyText(topology: Topology): string {
  const { brand, source, memoryBytes, cpus } = topology;
  const memory = memoryBytes === null ? "" : `, ${bytesText(memoryBytes)} of memory`;
  const cores = new Set(cpus.map(({ core }) => core)).size;
  const lines = [
    wrapText(
      `${brand}: ${countText(cores, "core")}, ${countText(cpus.length, "hardware thread")}${memory} (as ${source} tells)`,
    ),
    ...levels(topology, cpus, 0, cores > MOST_CORE_LINES),
  ];
  const forbidden = cpus.filter(({ allowed }) => !allowed).map(({ cpu }) => cpu);
  if (forbidden.length > 0) lines.push(`not allowed to this process: ${cpusText(forbidden)}`);
  if (topology.quota !== null) lines.push(`CPU quota of this process: ${topology.quota} cores`);
  return lines.join("\n");
}

interface Level {
  /** The index of a CPU's group; null if unknown. */
  readonly of: (cpu: Cpu) => number | null;
  readonly title: (topology: Topology, group: number, members: readonly Cpu[]) => string;
}

const groupings: readonly Level[] = [
  { of: (cpu) => cpu.package, title: (_, group) => `Package ${group}` },
  { of: (cpu) => cpu.numa, title: nodeTitle },
  { of: (cpu) => cpu.l3, title: (topology, _, members) => cacheTitle(lastLevel(topology, members)) },
];

function levels(topology: Topology, cpus: readonly Cpu[], depth: number, brief: boolean): string[] {
  const level = groupings[depth];
  if (level === undefined) return coreLines(topology, cpus, brief);
  return [...groupBy(cpus, level.of)].flatMap(([group, members]) => {
    const below = levels(topology, members, depth + 1, brief);
    if (group === null) return below;
    return [level.title(topology, group, members), ...below.map((line) => `  ${line}`)];
  });
}

function nodeTitle(topology: Topology, group: number): string {
  const bytes = topology.numaNodes.find(({ node }) => node === group)?.bytes ?? null;
  return `NUMA node ${group}${bytes === null ? "" : ` (${bytesText(bytes)})`}`;
}

function coreLines(topology: Topology, cpus: readonly Cpu[], brief: boolean): string[] {
  const last = lastLevel(topology, cpus);
  const cores = [...groupBy(cpus, (cpu) => cpu.core)].map(([core, members]) => ({
    core: core as number,
    numbers: members.map(({ cpu }) => cpu),
    caches: topology.caches.filter((cache) => cache !== last && cache.cpus.includes(members[0]?.cpu as number)),
  }));
  if (!brief) {
    return cores.map(({ core, numbers, caches }) => {
      const inner = cachesText(caches, numbers);
      return `Core ${core}: ${cpusText(numbers)}${inner ? `; ${inner}` : ""}`;
    });
  }
  // cores of one kind share a line: those of a hybrid processor differ
  const kinds = groupBy(cores, ({ numbers, caches }) => `${numbers.length} ${cachesText(caches, numbers)}`);
  return [...kinds.values()].map((alike) => {
    const [{ numbers, caches }] = alike as [(typeof alike)[0]];
    const list = formatCpuList(alike.map(({ core }) => core));
    const threads = cpusText(alike.flatMap((one) => one.numbers));
    const inner = cachesText(caches, numbers);
    return `Cores ${list}: ${threads}${inner ? `; each ${inner}` : ""}`;
  });
}

function cachesText(caches: readonly Cache[], cpus: readonly number[]): string {
  return [...caches]
    .sort((a, b) => b.level - a.level || a.type.localeCompare(b.type))
    .map((cache) => {
      const shared = cache.cpus.length > cpus.length ? ` shared by ${cache.cpus.length} CPUs` : "";
      return `${cacheTitle(cache)}${shared}`;
    })
    .join(", ");
}

function cacheTitle(cache: Cache | undefined): string {
  if (cache === undefined) return "last-level cache";
  const letter = cache.type === "unified" ? "" : cache.type === "data" ? "d" : "i";
  return `L${cache.level}${letter} ${bytesText(cache.bytes)}`;
}

/** The last-level cache over these CPUs. */
function lastLevel(topology: Topology, cpus: readonly Cpu[]): Cache | undefined {
  const [first] = cpus;
  if (first === undefined || first.l3 === null) return undefined;
  return topology.caches
    .filter((cache) => cache.type !== "instruction" && cache.cpus.includes(first.cpu))
    .reduce<Cache | undefined>((best, cache) => (cache.level > (best?.level ?? 0) ? cache : best), undefined);
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * The topology from Linux's /sys: everything that trees need, without native code.
 *
 * Limits: this machine only, and only CPUs that are online. Cores and packages are from cpuN/topology, caches from
 * cpuN/cache/indexN, NUMA nodes from nodeN. If a file is missing (some sandboxes and boards have few), the property is
 * unknown; only the list of CPUs is required.
 *
 * Source: Linux Documentation/admin-guide/cputopology.rst and ABI/testing/sysfs-devices-system-cpu.
 *
 * Example: cpu0/topology/thread_siblings_list = "0,4" makes CPUs 0 and 4 one core.
 */
import { readdirSync, readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { parseCpuList } from "node-hwloc/cpu-list";
import { EnvironmentError } from "../../ground/base/errors.ts";
import { setting } from "../../ground/base/settings.ts";
import type { Cache, NumaNode, Topology } from "../model/machine-model.ts";
import { toTopology } from "./shape.ts";

/** The file system type of the kernel's own /sys, by statfs(2); a copy has another. */
const SYSFS_MAGIC = 0x62656572;

/**
 * Reads a topology from a sysfs tree. A copy in a folder describes another machine: all its CPUs count as allowed.
 * @param sys root of the tree @default the setting TUNDISH_SYS, else /sys
 * @throws EnvironmentError if it has no list of CPUs, or one that is none
 */
export function readSysfs(sys: string = setting("sys")): Topology {
  const root = join(sys, "devices/system");
  const online = text(join(root, "cpu/online"));
  if (!online) {
    throw new EnvironmentError(
      `Expected a sysfs tree at ${sys}, got no ${join(root, "cpu/online")}. Set TUNDISH_SYS to its root, or to \`off\`.`,
    );
  }
  const cpus = cpusOf(online);
  const packages = new Map<number, number[]>();
  const cores = new Map<string, number[]>();
  const caches = new Map<string, Cache>();
  for (const cpu of cpus) {
    const folder = join(root, `cpu/cpu${cpu}`);
    const package_ = Number(text(join(folder, "topology/physical_package_id")) ?? -1);
    if (package_ >= 0) packages.set(package_, [...(packages.get(package_) ?? []), cpu]);
    // core_cpus_list is the newer name (Linux 5.1)
    const siblings =
      text(join(folder, "topology/core_cpus_list")) ?? text(join(folder, "topology/thread_siblings_list"));
    if (siblings) cores.set(siblings, cpusOf(siblings));
    for (const index of folders(join(folder, "cache"), /^index\d+$/)) {
      const cache = readCache(join(folder, "cache", index), cpu);
      if (cache) caches.set(`${cache.level} ${cache.type} ${cache.cpus}`, cache);
    }
  }
  const numaNodes = folders(join(root, "node"), /^node\d+$/).map((name) => readNode(join(root, "node", name), name));
  const isThisMachine = statfsSync(sys).type === SYSFS_MAGIC;
  return toTopology({
    source: "sysfs",
    brand: isThisMachine ? null : "unknown processor",
    isThisMachine,
    cpus,
    allowed: null,
    cores: [...cores.values()],
    packages: [...packages].map(([id, members]) => ({ id, cpus: members })),
    caches: [...caches.values()],
    numaNodes,
    notes: missing([
      [cores.size, "no cpu*/topology: which hardware threads share a core is unknown, each counts as a core"],
      [caches.size, "no cpu*/cache: which cores share a cache is unknown"],
      [numaNodes.length, "no node*: NUMA nodes are unknown"],
    ]).map((what) => `${root} has ${what}.`),
  });
}

function readCache(folder: string, cpu: number): Cache | null {
  const level = Number(text(join(folder, "level")) ?? 0);
  const type = text(join(folder, "type"))?.toLowerCase();
  if (!level || (type !== "data" && type !== "instruction" && type !== "unified")) return null;
  const [, amount = "0", unit = ""] = /^(\d+)([KMG]?)/.exec(text(join(folder, "size")) ?? "") ?? [];
  return {
    level,
    type,
    bytes: Number(amount) * 1024 ** " KMG".indexOf(unit || " "),
    lineBytes: Number(text(join(folder, "coherency_line_size")) ?? 0) || null,
    cpus: cpusOf(text(join(folder, "shared_cpu_list")) ?? `${cpu}`),
  };
}

function readNode(folder: string, name: string): NumaNode {
  const kilobytes = /MemTotal:\s*(\d+) kB/.exec(text(join(folder, "meminfo")) ?? "")?.[1];
  return {
    node: Number(name.slice("node".length)),
    bytes: kilobytes ? Number(kilobytes) * 1024 : null,
    cpus: cpusOf(text(join(folder, "cpulist")) ?? ""),
  };
}

function cpusOf(list: string): number[] {
  try {
    return parseCpuList(list);
  } catch (cause) {
    throw new EnvironmentError(`${(cause as Error).message} Set TUNDISH_SYS to another tree, or to \`off\`.`, {
      cause,
    });
  }
}

function missing(parts: readonly (readonly [number, string])[]): string[] {
  return parts.filter(([count]) => count === 0).map(([, what]) => what);
}

function text(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim() || null;
  } catch {
    return null;
  }
}

function folders(path: string, name: RegExp): string[] {
  try {
    return readdirSync(path).filter((entry) => name.test(entry));
  } catch {
    return [];
  }
}

/** Facts of a report about its surroundings. */
import { createRequire } from "node:module";
import { arch, hostname, loadavg, platform } from "node:os";
import type { Topology } from "../../machine/model/machine-model.ts";
import type { ReportDocument, ReportHost } from "./document.ts";

/** This machine. */
export function reportHost(topology: Topology): ReportHost {
  const allowed = topology.cpus.filter((cpu) => cpu.allowed);
  return {
    name: hostname(),
    platform: platform(),
    arch: arch(),
    brand: topology.brand,
    cores: new Set(allowed.map(({ core }) => core)).size,
    threads: allowed.length,
    quota: topology.quota,
    memoryBytes: topology.memoryBytes,
  };
}

export function versions(): ReportDocument["versions"] {
  const { version } = createRequire(import.meta.url)("tundish/package.json") as { version: string };
  return { node: process.versions.node, tundish: version };
}

/** Programs that ran in the last minute, beyond what this command itself has used. */
const MOST_LOAD = 1.2;

/** A warning if other programs use the CPUs; undefined if not, or where the system does not tell. */
export function loadWarning(cpus: number): string | undefined {
  const [load = 0] = loadavg();
  if (load < MOST_LOAD) return undefined;
  return `When the measurements began, the system told a load of ${load.toFixed(1)} on ${cpus} CPUs: other programs used them, and the figures are worse than on an idle machine.`;
}

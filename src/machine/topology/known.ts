/**
 * The topology of this machine for those that start worlds: libhwloc takes 15 ms to find what only a reboot, another
 * binding of the process or a change of its control groups can change.
 */
import { readFileSync } from "node:fs";
import { keep, recall } from "../../ground/base/files/remembered.ts";
import { hashDigits } from "../../ground/base/hash.ts";
import { setting } from "../../ground/base/settings.ts";
import type { Topology } from "../model/machine-model.ts";
import { cpuQuota } from "./cgroup.ts";

/** As readTopology() of this machine, read anew only if anything that it depends on has changed. */
export async function knownTopology(): Promise<Topology> {
  const found = surroundings();
  if (found === null) return readNow();
  const { boot, here } = found;
  const name = `topology-${hashDigits(here)}`;
  const known = recall(name, boot) as Topology | undefined;
  if (known !== undefined) return { ...known, quota: cpuQuota() };
  const topology = await readNow();
  // what another source would add is looked for each time: somebody may install it
  if (topology.source === "hwloc" && topology.notes.length === 0) keep(name, boot, topology);
  return topology;
}

const readNow = async (): Promise<Topology> => (await import("./topology.ts")).readTopology();

/** What the topology depends on; null if the system does not say. */
function surroundings(): { readonly boot: string; readonly here: string } | null {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const online = readFileSync("/sys/devices/system/cpu/online", "utf8").trim();
    const allowed = readFileSync("/proc/self/status", "utf8").match(/^(Cpus|Mems)_allowed_list:.*$/gm);
    if (allowed === null) return null;
    const sources = (["libhwloc", "native", "sys"] as const).map(setting);
    const ofHwloc = Object.entries(process.env).filter(([name]) => name.startsWith("HWLOC_"));
    return { boot, here: JSON.stringify([online, allowed, sources, ofHwloc]) };
  } catch {
    return null;
  }
}

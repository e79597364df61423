/** The machine that a model belongs to, and whether it is this one. */

import { formatCpuList } from "node-hwloc/cpu-list";
import { hashDigits } from "../../ground/base/hash.ts";
import type { MachineModel, Topology } from "./machine-model.ts";

/**
 * 16 hexadecimal digits that identify a machine by its processor and shape. Memory, the affinity mask and the quota are
 * not included, so that the identifier is the same in a container.
 */
export function fingerprint(topology: Topology): string {
  const shape = topology.cpus.map((cpu) => [cpu.cpu, cpu.core, cpu.l3, cpu.numa, cpu.package]);
  return hashDigits(JSON.stringify([topology.brand, shape]));
}

/** A warning, with advice, if a model does not fit a machine; else null. */
export function fitWarning(model: MachineModel, topology: Topology): string | null {
  const faults: string[] = [];
  const here = fingerprint(topology);
  if (model.fingerprint !== undefined && model.fingerprint !== here) {
    faults.push(`it was measured on another machine (${model.fingerprint}) than this one (${topology.brand}, ${here})`);
  }
  const there = new Map(topology.cpus.map((cpu) => [cpu.cpu, cpu]));
  const wanted = model.pes.map((pe) => pe.cpu);
  const absent = wanted.filter((cpu) => !there.has(cpu));
  const forbidden = wanted.filter((cpu) => there.get(cpu)?.allowed === false);
  if (absent.length) faults.push(`it puts PEs on CPUs that are not here (${formatCpuList(absent)})`);
  if (forbidden.length) {
    faults.push(`it puts PEs on CPUs that this process may not use (${formatCpuList(forbidden)})`);
  }
  if (faults.length === 0) return null;
  return `The model "${model.name}" does not fit: ${faults.join(", and ")}. Measure this machine with: tundish profile -o machine.json`;
}

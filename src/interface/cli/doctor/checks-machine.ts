/** Checks which part of the machine this process may use, and which machine model is available. */

import { loadavg } from "node:os";
import { sentenceOf } from "../../../ground/base/errors.ts";
import { setting } from "../../../ground/base/settings.ts";
import { amountText, countText } from "../../../ground/base/units.ts";
import { cpusText } from "../../../machine/model/cpus.ts";
import { fitWarning } from "../../../machine/model/fingerprint.ts";
import type { Topology } from "../../../machine/model/machine-model.ts";
import { readMachine } from "../../../machine/model/model.ts";
import { readProcessBinding } from "../../../machine/topology/affinity.ts";
import { libhwlocVersion } from "../../../machine/topology/hwloc.ts";
import { readTopology } from "../../../machine/topology/topology.ts";
import { usableCpus } from "../../../machine/topology/usable.ts";
import { defaultModelFile, MACHINE_FILE } from "../terminal/model.ts";
import type { DoctorFinding } from "./finding.ts";

/** Checks the CPUs, the affinity mask, the quota, the source of the topology, and the machine model of runs. */
export async function machineFindings(): Promise<DoctorFinding[]> {
  let topology: Topology;
  try {
    topology = await readTopology();
  } catch (error) {
    return [{ name: "topology", state: "missing", text: sentenceOf(error as Error), needed: true }];
  }
  return [
    ...topologySource(topology),
    cpuCounts(topology),
    affinity(topology),
    quota(topology),
    load(topology),
    await model(topology),
  ];
}

function topologySource({ source, notes }: Topology): DoctorFinding[] {
  const name = "hwloc";
  if (source !== "hwloc") {
    // the first note is about libhwloc, the first source tried
    const [text = "libhwloc was not used.", ...others] = notes;
    return [
      { name, state: "missing", text, needed: false },
      { name: "topology", state: "ok", text: `read from ${source}`, needed: false },
      ...others.map(topologyNote),
    ];
  }
  return [
    { name, state: "ok", text: `libhwloc ${libhwlocVersion()} provides the topology`, needed: false },
    ...notes.map(topologyNote),
  ];
}

function topologyNote(text: string): DoctorFinding {
  return { name: "topology", state: "note", text, needed: false };
}

function cpuCounts(topology: Topology): DoctorFinding {
  const name = "CPUs";
  const { cpus } = topology;
  const cores = new Set(cpus.map(({ core }) => core)).size;
  const allowed = cpus.filter((cpu) => cpu.allowed).length;
  const counts = `${countText(cpus.length, "hardware thread")} on ${countText(cores, "core")}, ${allowed} allowed`;
  try {
    const pes = usableCpus(topology).map(({ cpu }) => cpu);
    const text = `${counts}; ${countText(pes.length, "PE")} by default, on ${cpusText(pes)}`;
    if (pes.length > 1) return { name, state: "ok", text, needed: true };
    return {
      name,
      state: "note",
      text: `${text}: with one PE there is nothing to communicate.`,
      needed: true,
    };
  } catch (error) {
    return { name, state: "missing", text: `${counts}. ${sentenceOf(error as Error)}`, needed: true };
  }
}

function affinity({ cpus }: Topology): DoctorFinding {
  const name = "affinity mask";
  const mask = readProcessBinding();
  if (mask === null) return { name, state: "note", text: "cannot be read on this platform", needed: false };
  const text = cpusText(mask);
  if (cpus.every((cpu) => cpu.allowed)) return { name, state: "ok", text: `${text}, all of them`, needed: false };
  return {
    name,
    state: "note",
    text: `${text} of ${cpus.length}; the others are not used.`,
    advice: "Set by taskset, a container, a batch system, or mpirun (then: mpirun --bind-to none).",
    needed: false,
  };
}

function quota({ quota: cores }: Topology): DoctorFinding {
  const name = "CPU quota";
  if (cores === null) return { name, state: "ok", text: "none", needed: false };
  const text = `${amountText(cores)} cores by control group: more PEs than that would be throttled.`;
  return { name, state: "note", text, advice: "Raise it with docker run --cpus, or cpu.max.", needed: false };
}

function load({ cpus }: Topology): DoctorFinding {
  const name = "load";
  const [lastMinute = 0] = loadavg();
  const text = `${lastMinute.toFixed(1)} of ${cpus.length} in the last minute`;
  if (lastMinute < cpus.length / 2) return { name, state: "ok", text, needed: false };
  return { name, state: "note", text: `${text}: measurements will be noisy.`, needed: false };
}

async function model(topology: Topology): Promise<DoctorFinding> {
  const name = "machine model";
  const file = defaultModelFile();
  if (file === undefined) {
    const text = `no ${MACHINE_FILE} here, so costs are guessed.`;
    return { name, state: "note", text, advice: "Measure them with: tundish profile", needed: false };
  }
  try {
    const machine = await readMachine(file);
    const misfit = fitWarning(machine, topology);
    if (misfit) return { name, state: "note", text: `${file}: ${misfit}`, needed: false };
    const text = `${file}: ${countText(machine.pes.length, "PE")}, ${machine.measured}`;
    return { name, state: "ok", text, needed: false };
  } catch (error) {
    // every run here reads the file and fails with this error
    const text = sentenceOf(error as Error).replace(/\.?$/, ".");
    const remedy = setting("machine") === "" ? "remove it" : "unset TUNDISH_MACHINE";
    return { name, state: "wrong", text, advice: `Correct the file, or ${remedy}.`, needed: true };
  }
}

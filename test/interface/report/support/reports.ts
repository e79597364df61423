/** Reports for tests: of models, and one with every part, whose figures are made up. */

import type { ReportDocument } from "../../../../src/interface/report/document.ts";
import type { ReportOptions } from "../../../../src/interface/report/options.ts";
import { makeReport } from "../../../../src/interface/report/report.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import { readMachine } from "../../../../src/machine/model/model.ts";
import { fixture } from "../../../support/paths.ts";

/** One of the models of other machines. */
export const model = (name: string): Promise<MachineModel> => readMachine(fixture("machines", `${name}.json`));

/** A report of what a model says alone. */
export const reportOf = (machine: MachineModel, options: Partial<ReportOptions> = {}): Promise<ReportDocument> =>
  makeReport({
    ...{ machine, origin: "file", command: "tundish report model.json", here: null },
    unmeasured: "Nothing was measured: the model is of another machine.",
    ...options,
  });

const spread = { ns: 200, low: 190, high: 220, mode: 300 };
const figures = {
  cpus: [0, 1],
  missing: [{ name: "npm multithreading", reason: "not installed" }],
  notes: ["Of a test."],
};

/** Every part is there, over two nodes; nothing in it was measured. */
export async function fullReport(): Promise<ReportDocument> {
  const two: MachineModel = {
    ...{ schema: "tundish/machine@1", name: "two cores", source: "a test", unit: "ns", measured: "not" },
    pes: [0, 1].map((cpu) => ({ cpu, core: cpu, l3: 0, numa: 0, package: 0 })),
    ...{ send: [[0, 30], [30, 0]], receive: [[0, 25], [25, 0]] }, // biome-ignore format: matrices
    noise: { spread: 0.01, passes: 5, stable: true, probe: [300, 301], mode: 300 },
    internode: { alpha: 1500, beta: 0.1, nodes: 2 },
  };
  return {
    ...(await reportOf(two)),
    host: {
      ...{ name: "host", platform: "linux", arch: "x64", brand: "two cores" },
      ...{ cores: 2, threads: 2, quota: 1.5, memoryBytes: 2 ** 33 },
    },
    topology: {
      ...{
        source: "hwloc",
        brand: "two cores",
        isThisMachine: true,
        memoryBytes: 2 ** 33,
        quota: null,
        notes: [],
      },
      cpus: [0, 1].map((cpu) => ({ cpu, core: cpu, l3: 0, numa: 0, package: 0, allowed: true })),
      caches: [{ level: 3, type: "unified", bytes: 2 ** 24, lineBytes: 64, cpus: [0, 1] }],
      numaNodes: [{ node: 0, bytes: null, cpus: [0, 1] }],
    },
    conditions: {
      probes: [
        { at: 0, ns: 300, part: "trees" },
        { at: 1.5, ns: 302, part: "conveyors" },
      ],
      modes: [{ mode: 301, probes: 2 }],
      stable: true,
      warnings: ["Of a test."],
    },
    predictions: {
      ...figures,
      command: "tundish bench smelt --only trees",
      times: [
        { operation: "broadcast", algorithm: "adaptive", pes: 2, predicted: 180, ...spread },
        { operation: "barrier", algorithm: "smelt", pes: 2, predicted: 190, ...spread },
      ],
    },
    collectives: {
      ...figures,
      command: "tundish bench collectives",
      times: [
        { call: "barrier", name: "tundish", pes: 2, bytes: 0, ...spread },
        { call: "broadcast", name: "postMessage", pes: 2, bytes: 4096, ...spread, mode: null },
      ],
    },
    starts: {
      ...figures,
      command: "tundish bench launch",
      times: [
        { call: "launch", pes: 2, ...spread },
        { call: "run", pes: 2, ...spread, mode: null },
      ],
    },
    conveyors: {
      ...figures,
      command: "tundish bench conveyors",
      times: [{ name: "tundish, run", what: "8 B, 2 PEs", pes: 2, bytes: 8, ...spread }],
    },
  };
}

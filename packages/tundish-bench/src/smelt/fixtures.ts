/** Models of real machines in a checkout of the repository: the published package has none. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { UsageError } from "../../../../src/ground/base/errors.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import { readMachine } from "../../../../src/machine/model/model.ts";
import { selectPEs } from "../../../../src/machine/model/select.ts";

/**
 * Ten of different shapes, with 8 to 64 cores; sources in their files. Several packages, NUMA nodes, caches that some
 * cores share, meshes and none of them; of Intel, AMD, Arm and others.
 */
const TEN: readonly string[] = [
  "c2c-amd-ryzen-7-5700x",
  "smelt-hist-sbrinz-numa",
  "smelt-intel-xeon-e5-v2-2x10",
  "smelt-hist-ziger-numa",
  "c2c-amd-epyc-74f3-24-core-processor",
  "smelt-hist-gottardo-numa",
  "c2c-loongson-3c5000-2-2ghz-16-cores-2022-q2",
  "c2c-dual-amd-epyc-7302-16-core-processor",
  "c2c-intel-xeon-platinum-8275cl-cpu-3-00ghz",
  "c2c-aws-graviton3",
];
/** The two that figure 10 of the paper shows: four AMD sockets of four modules, and four of six cores. */
const OF_FIGURE_10: readonly string[] = ["smelt-hist-gottardo-numa", "smelt-hist-ziger-numa"];

const FOLDERS = ["../../../", "../../../../../"].map((up) => new URL(`${up}test/fixtures/machines/`, import.meta.url));

/** Those of 64 to 192 PEs, most of them in two packages; the last one in one. */
const OF_STEALING: readonly string[] = [
  "c2c-dual-amd-epyc-7302-16-core-processor",
  "c2c-dual-intel-xeon-platinum-8358-cpu-2-60ghz",
  "c2c-intel-xeon-platinum-8275cl-cpu-3-00ghz",
  "c2c-dual-amd-epyc-7702-64-core-processor",
  "c2c-intel-xeon-platinum-8375c-cpu-2-90ghz",
  "c2c-dual-amd-epyc-9654-96-core-processor",
  "c2c-amd-epyc-9754-128-core-processor",
];

/** @throws UsageError where they are not */
export const tenMachines = (): Promise<MachineModel[]> => read(TEN);
export const stealingMachines = (): Promise<MachineModel[]> => read(OF_STEALING);
export const figure10Machines = (): Promise<MachineModel[]> => read(OF_FIGURE_10);

async function read(names: readonly string[]): Promise<MachineModel[]> {
  const folder = FOLDERS.find((one) => existsSync(fileURLToPath(one)));
  if (folder === undefined) {
    throw new UsageError(
      "machines: expected models of machines to simulate, got none: only a checkout has those that are the default. " +
        "Name files with: --machines FILE …",
    );
  }
  return await Promise.all(names.map((name) => readMachine(fileURLToPath(new URL(`${name}.json`, folder)))));
}

/** The model of one PE for each core, as in the paper; of all, where the model does not tell cores. */
export function onePerCore(machine: MachineModel): MachineModel {
  const { pes } = machine;
  if (pes.some(({ core }) => core === null)) return machine;
  const rows = pes.flatMap((pe, row) => {
    const first = pes.findIndex((other) => other.core === pe.core && other.package === pe.package);
    return first === row ? row : [];
  });
  return rows.length === pes.length ? machine : selectPEs(machine, rows);
}

/** Machines with near and far PEs, as models. */
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";

/** A model in which PEs of the same domain are near each other. @param costs ns of a message to each end, near and far */
export function matrixOf(
  pes: number,
  domainOf: (pe: number) => number,
  [near, far]: readonly [number, number] = [20, 200],
): MachineModel {
  const all = Array.from({ length: pes }, (_, pe) => pe);
  const matrix = all.map((a) => all.map((b) => (a === b ? 0 : domainOf(a) === domainOf(b) ? near : far)));
  return {
    schema: "tundish/machine@1",
    name: "near and far",
    source: "made up",
    unit: "ns",
    measured: "made up",
    pes: all.map((cpu) => ({ cpu, core: null, numa: null, package: null })),
    send: matrix,
    receive: matrix,
  };
}

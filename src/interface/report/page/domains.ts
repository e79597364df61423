/** The PEs of a model by what they share: package, NUMA node, last-level cache, core; or what its costs show. */
import { treeProblem } from "../../../../trees/model/problem.ts";
import type { MachineModel, MachinePE } from "../../../machine/model/machine-model.ts";

/** A level at which PEs of a model lie apart. */
export interface Level {
  /** `package`, `NUMA node`, `L3`, `core`; `group` where only the costs show it. */
  readonly name: string;
  /** The domain of each PE, by its number in the model. */
  readonly of: readonly number[];
}

const FIELDS: readonly (readonly [name: string, field: (pe: MachinePE) => number | null | undefined])[] = [
  ["package", (pe) => pe.package],
  ["NUMA node", (pe) => pe.numa],
  ["L3", (pe) => pe.l3],
  ["core", (pe) => pe.core],
];

/** The levels that tell PEs apart, the outermost first: those that the model names, else what its costs show. */
export function levelsOf(model: MachineModel): Level[] {
  const named = FIELDS.flatMap(([name, field]): Level[] => {
    const of = model.pes.map(field);
    return of.every((domain): domain is number => typeof domain === "number") ? [{ name, of }] : [];
  });
  const apart = named.filter(({ of }) => new Set(of).size > 1 && new Set(of).size < of.length);
  if (apart.length > 0) return apart;
  if (model.pes.length < 4) return [];
  const [found] = treeProblem(
    model,
    model.pes.map((_, i) => i),
  ).domains;
  const of = found === undefined ? [] : [...found];
  const count = new Set(of).size;
  return count > 1 && count < of.length ? [{ name: "group", of }] : [];
}

/** PEs in an order in which those of a domain are side by side; of equal ones the lower number first. */
export function orderOf(model: MachineModel, levels: readonly Level[]): number[] {
  return model.pes
    .map((_, pe) => pe)
    .sort((a, b) => {
      for (const { of } of levels) {
        const apart = (of[a] as number) - (of[b] as number);
        if (apart !== 0) return apart;
      }
      return a - b;
    });
}

/** The level whose domains are shown by colours: the innermost with few enough of them. */
export function colouredLevel(levels: readonly Level[], most: number): Level | undefined {
  const fits = levels.filter(({ of }) => new Set(of).size <= most);
  return fits.filter(({ name }) => name !== "core").at(-1) ?? fits.at(-1);
}

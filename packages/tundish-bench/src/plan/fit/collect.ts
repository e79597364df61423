/** The data of a fit: the times of the grid for cases that no judge draws, kept in a file, as they take minutes. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { MachineModel } from "../../../../../src/machine/model/machine-model.ts";
import { BUFFERS, memoryOn } from "../../../../../src/plan/model/candidates.ts";
import type { CostModel } from "../../../../../src/plan/model/cost-model.ts";
import { shapeCosts } from "../../../../../src/plan/model/shape.ts";
import { settle } from "../../../../../src/running/simulate/options.ts";
import { type PlanCase, type PlanNetwork, planCases } from "../plan-cases.ts";
import { baleRule, tramDefaults } from "../plan-rules.ts";
import { sweep, type TimedChoice } from "../plan-sweep.ts";

/** A choice that takes this many times as long as the best counts as bad, however bad. */
const PATIENCE = 2;

/** The times of one case. */
export interface Swept {
  readonly seed: number;
  readonly network: PlanNetwork;
  /** Of the cases of its seed, from 0 on. */
  readonly at: number;
  /** A time of null: it was given up. */
  readonly times: readonly (Omit<TimedChoice, "time"> & { readonly time: number | null })[];
}

export interface Collection {
  readonly file: string;
  readonly models: readonly MachineModel[];
  readonly seed: number;
  readonly network: PlanNetwork;
  readonly cases: number;
}

/** Runs the cases that the file does not have yet, with all buffers that plans choose among, and adds them. */
export function collect({ file, ...draw }: Collection): void {
  const known = new Set(read(file).map(nameOf));
  for (const [at, one] of planCases({ ...draw, purpose: "fit" }).entries()) {
    const { seed, network } = draw;
    if (known.has(nameOf({ seed, network, at }))) continue;
    const { itemBytes, maxBytes, options } = one;
    const model: CostModel = settle(options);
    const { pes, nodes } = model;
    const place = { pes, nodeSize: pes / nodes, itemBytes, maxBytes, memory: memoryOn(model, shapeCosts(model)) };
    // Infinity becomes null
    const times = sweep(one, [baleRule(place), tramDefaults(place)], PATIENCE, BUFFERS);
    appendFileSync(file, `${JSON.stringify({ seed, network, at, times } satisfies Swept)}\n`);
  }
}

/** The cases that a file has, with their times. */
export function collected(file: string, models: readonly MachineModel[]): (Swept & { readonly case: PlanCase })[] {
  const drawn = new Map<string, PlanCase[]>();
  return read(file).map((swept) => {
    const { seed, network, at } = swept;
    const name = `${seed} ${network}`;
    const all = drawn.get(name) ?? planCases({ cases: 1000, models, seed, network, purpose: "fit" });
    drawn.set(name, all);
    return { ...swept, case: all[at] as PlanCase };
  });
}

const nameOf = ({ seed, network, at }: Pick<Swept, "seed" | "network" | "at">): string => `${seed} ${network} ${at}`;

const read = (file: string): Swept[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Swept)
    : [];

/**
 * Machines and loads for the comparison of plans: drawn by a seed, so that they are the same everywhere.
 *
 * Nodes have 2 to 16 PEs and a measured model if there is one; the single ones 4 to 64. Items of 8 to 128 bytes, 10 to
 * 30 000 of them from each PE, budgets from tight to none. All PEs together push at most `MOST_ITEMS`, so that a sweep
 * takes seconds.
 *
 * The cases that judge the model and those that it is fitted to are drawn from different seeds, whatever seed is given:
 * the judge's are even, those of the fit are odd.
 */

import { randomNumbers } from "../../../../src/ground/base/random.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import type { SimulationOptions } from "../../../../src/running/simulate/options.ts";
import { congestedNetwork, type Draw, simpleNetwork } from "./plan-networks.ts";

/** One machine and load. */
export interface PlanCase {
  readonly name: string;
  readonly options: SimulationOptions & { readonly pes: number };
  readonly itemBytes: number;
  readonly load: number;
  readonly maxBytes: number | undefined;
}

/** The network between the nodes: parts that can be congested; alpha, beta and receiver alone; there is one node. */
export const PLAN_NETWORKS = ["congested", "simple", "none"] as const;
export type PlanNetwork = (typeof PLAN_NETWORKS)[number];

/** The selection of cases. */
export interface PlanDraw {
  readonly cases: number;
  /** Of nodes; cases without one have 50 ns to send and 50 to receive. @default none */
  readonly models?: readonly MachineModel[];
  /** @default 1 */
  readonly seed?: number | undefined;
  /** @default "congested" */
  readonly network?: PlanNetwork | undefined;
  /** Their purpose. @default "judge" */
  readonly purpose?: "judge" | "fit";
}

const MOST_ITEMS = 200_000;
const MOST_PES = 64;
const LOADS = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000];

export function planCases({
  cases,
  models = [],
  seed = 1,
  network = "congested",
  purpose = "judge",
}: PlanDraw): PlanCase[] {
  const random = randomNumbers(2 * seed + (purpose === "fit" ? 1 : 0));
  const draw: Draw = {
    one: (list) => list[Math.floor(random() * list.length)] as (typeof list)[number],
    between: (least, most) => least * (most / least) ** random(),
  };
  return Array.from({ length: cases }, () => planCase(draw, models, network));
}

function planCase({ one, between }: Draw, models: readonly MachineModel[], kind: PlanNetwork): PlanCase {
  const nodes = kind === "none" ? 1 : one([2, 4, 8, 16]);
  const nodeSize =
    nodes === 1 ? one([4, 6, 8, 12, 16, 24, 32, 64]) : one([2, 4, 8, 16].filter((n) => n * nodes <= MOST_PES));
  const fitting = models.filter(({ pes }) => pes.length >= nodeSize && pes.length <= 2 * nodeSize);
  const machine = one([true, true, false]) ? one(fitting) : undefined;
  const pes = nodes * nodeSize;
  const load = one(LOADS.filter((items) => items * pes <= MOST_ITEMS));
  const itemBytes = one([8, 16, 32, 64, 128]);
  const costs = one([
    { push: 3, pull: 3 },
    { push: 3, pull: 3 },
    { push: 10, pull: 8 },
  ]);
  const budget = one([undefined, undefined, 4096, 32_768]);
  // a link to another node takes twice as much
  const scale = nodes === 1 ? 1 : 2;
  const maxBytes = budget === undefined ? undefined : scale * Math.max(16_384, pes * (budget / 4));
  const place = { pes, nodes, machine, costs };
  const named = (what: string) => `${nodes} x ${nodeSize}${machine === undefined ? "" : ` ${machine.name}`}${what}`;
  if (kind === "none") return { name: named(""), options: place, itemBytes, load, maxBytes };
  const { network, name } =
    kind === "simple" ? simpleNetwork({ one, between }) : congestedNetwork({ one, between }, nodes);
  return { name: named(`, ${name}`), options: { ...place, network }, itemBytes, load, maxBytes };
}

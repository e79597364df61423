/**
 * Machines and loads for the comparison of plans: drawn by a seed, so that they are the same everywhere.
 *
 * Two of five cases are a single node, of 4 to 64 PEs, with a measured model if available; the others have 2 to 16
 * nodes with networks from fast to slow. Items of 8 to 128 bytes, 10 to 30 000 of them from each PE, budgets from tight
 * to none. All PEs together push at most `MOST_ITEMS`, so that a sweep takes seconds.
 */

import type { MachineModel } from "../../src/machine/types.ts";
import type { SimulationOptions } from "../../src/simulate/options.ts";
import { randomNumbers } from "../../trees/model/random.ts";

/** One machine and load. */
export interface PlanCase {
  readonly name: string;
  readonly options: SimulationOptions;
  readonly itemBytes: number;
  readonly load: number;
  readonly maxBytes: number | undefined;
}

const MOST_ITEMS = 200_000;
const MOST_PES = 64;
const LOADS = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000];

/** @param models of nodes; cases without one have 50 ns to send and 50 to receive */
export function planCases(count: number, models: readonly MachineModel[], seed = 1): PlanCase[] {
  const random = randomNumbers(seed);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return Array.from({ length: count }, (_, i) => {
    const nodes = i % 5 < 2 ? 1 : one([2, 4, 8, 16]);
    const nodeSize =
      nodes === 1 ? one([4, 6, 8, 12, 16, 24, 32, 64]) : one([2, 4, 8].filter((n) => n * nodes <= MOST_PES));
    const fitting = models.filter(({ pes }) => pes.length >= nodeSize && pes.length <= 2 * nodeSize);
    const machine = i % 3 === 0 ? undefined : one(fitting);
    const pes = nodes * nodeSize;
    const load = one(LOADS.filter((items) => items * pes <= MOST_ITEMS));
    const itemBytes = one([8, 16, 32, 64, 128]);
    const network = {
      alpha: one([500, 1500, 5000]),
      beta: one([0.02, 0.1, 0.5]),
      receiver: one([50, 300, 1000]),
    };
    const costs = one([
      { push: 3, pull: 3 },
      { push: 3, pull: 3 },
      { push: 10, pull: 8 },
    ]);
    const budget = one([undefined, undefined, 4096, 32_768]);
    const maxBytes = budget === undefined ? undefined : Math.max(16_384, pes * (budget / 4));
    return {
      name: `${nodes} x ${nodeSize}${machine === undefined ? "" : ` ${machine.name}`}`,
      options: { pes, nodes, machine, costs, ...(nodes > 1 ? { network } : {}) },
      itemBytes,
      load,
      maxBytes,
    };
  });
}

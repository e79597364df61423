/** makeExchangePlan: the plan of an exchange from a machine model, without running anything. */
import { checkOptions, optionsOf } from "../../ground/base/options.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import {
  checkUsed,
  EXCHANGE_CHOICES,
  type ExchangeChoices,
  type ExchangeLoad,
  LOAD_FIELDS,
} from "../../route/disciplines/options.ts";
import { costModelOf } from "../model/machine.ts";
import { JOB_FIELDS } from "../network/cluster.ts";
import type { NetworkName, SimulatedNetwork } from "../network/network.ts";
import { BLOCK_COSTS, type ExchangePlan, planExchange } from "./plan.ts";

/** The load of an exchange, its PEs, and the choices that are forced. */
export interface ExchangeWorkload extends ExchangeLoad, ExchangeChoices {
  /** Number of PEs on all nodes. @default those of the model, on each node */
  readonly pes?: number | undefined;
  /** Nodes, with the same number of PEs on each. @default 1 */
  readonly nodes?: number | undefined;
  /** Between nodes, as for `makePlan`. @default the model's (`internode`), else alpha 1500, beta 0.1, receiver 300 */
  readonly network?: SimulatedNetwork | NetworkName | "measured" | undefined;
}

const { pes, nodes, network } = JOB_FIELDS;
const WORKLOAD = optionsOf<ExchangeWorkload>({ ...LOAD_FIELDS, ...EXCHANGE_CHOICES, pes, nodes, network }, ["bytes"]);

/**
 * Chooses discipline, bytes of a turn, window and pace of an exchange.
 *
 *     const plan = makeExchangePlan(machine, { nodes: 8, bytes: 2 ** 20 });
 *     console.log(plan.explain());
 *     const x = exchange(pe, plan.options);
 *
 * @param machine a model of a node; undefined: 50 ns to send, 50 to receive
 * @throws UsageError for invalid arguments
 */
export function makeExchangePlan(machine: MachineModel | undefined, workload: ExchangeWorkload): ExchangePlan {
  checkOptions("makeExchangePlan", WORKLOAD, workload);
  const { bytes, blockBytes, destinations, skew, pes, nodes, network, ...forced } = workload;
  if (forced.discipline !== undefined) checkUsed(forced, forced.discipline);
  const model = costModelOf(machine, { itemBytes: BLOCK_COSTS, pes, nodes, network });
  return planExchange(model, { bytes, blockBytes, destinations, skew }, forced);
}

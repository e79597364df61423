/** makePlan: the plan of a conveyor from a machine model, without running anything. */

import { UsageError } from "../../ground/base/errors.ts";
import { checkOptions, countable, optionsOf, truth } from "../../ground/base/options.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import {
  CONVEYOR_FIELDS,
  checkDiscipline,
  checkRate,
  MAX_BUFFER_BYTES,
  meshClash,
  type Unplanned,
} from "../../route/geometry/options.ts";
import { checkSending, SENDING_FIELDS } from "../../route/geometry/sending.ts";
import { candidatesFor } from "../model/candidates.ts";
import type { ConveyorWorkload, Forced } from "../model/cost-model.ts";
import { costModelOf } from "../model/machine.ts";
import { JOB_FIELDS } from "../network/cluster.ts";
import type { NetworkName, SimulatedNetwork } from "../network/network.ts";
import { type ConveyorPlan, planConveyor } from "./plan.ts";

/**
 * The load of a conveyor, its PEs, and the choices that are forced. A discipline (of a tensor), and when buffers are
 * sent early (`threshold`, `cutoff`, `maxDelay`, `maxBufferedBytes`), are kept in the options; the times of a plan do
 * not count them.
 */
export interface PlanWorkload extends Omit<ConveyorWorkload, "scratch">, Forced, Unplanned {
  /** Number of PEs on all nodes. @default those of the model, on each node */
  readonly pes?: number | undefined;
  /** Nodes, with the same number of PEs on each. @default 1 */
  readonly nodes?: number | undefined;
  /** Between nodes, as in a simulation. @default the model's (`internode`), else alpha 1500, beta 0.1, receiver 300 */
  readonly network?: SimulatedNetwork | NetworkName | "measured" | undefined;
}

const { type, hops, groupSize, mesh, bufferBytes, buffersPerLink, discipline, rate, delayCost, steady } =
  CONVEYOR_FIELDS;
const { pes, nodes, network } = JOB_FIELDS;
const elastic = truth;
const WORKLOAD = optionsOf<PlanWorkload>(
  {
    itemBytes: countable("bytes"),
    load: countable("items"),
    destinations: countable("PEs"),
    maxBytes: countable("bytes"),
    rate,
    delayCost,
    steady,
    elastic,
    pes,
    nodes,
    network,
    type,
    hops,
    groupSize,
    mesh,
    bufferBytes,
    buffersPerLink,
    discipline,
    ...SENDING_FIELDS,
  },
  ["itemBytes", "load"],
);

/**
 * Chooses type, hops, group size and buffers of a conveyor; with `rate` and `delayCost` also how long items may wait
 * (`plan.options.maxDelay`).
 *
 *     const plan = makePlan(machine, { nodes: 8, itemBytes: 16, load: 100_000 });
 *     console.log(plan.explain());
 *     const c = conveyor(pe, item, plan.options);
 *
 * @param machine a model of a node; undefined: 50 ns to send, 50 to receive
 * @throws UsageError for invalid arguments, and if no candidate keeps to the budget and the forced choices
 */
export function makePlan(machine: MachineModel | undefined, workload: PlanWorkload): ConveyorPlan {
  checkOptions("makePlan", WORKLOAD, workload);
  checkRate(workload);
  const { itemBytes, load, destinations, maxBytes, rate, delayCost, ...rest } = workload;
  const { steady, elastic, pes, nodes, network, ...forced } = rest;
  const clash = meshClash(forced);
  if (clash !== null) throw new UsageError(`mesh: ${clash}`);
  const { type: wanted = "tensor" } = forced;
  checkDiscipline(wanted, forced.discipline ?? "eager");
  checkSending(forced, wanted);
  if (elastic === true && wanted === "trivial") {
    throw new UsageError('type: expected "tensor" or "simple" beside elastic, got "trivial". Leave one of them out.');
  }
  const amounts = { itemBytes, load, destinations, maxBytes, rate, delayCost, steady, elastic };
  const model = costModelOf(machine, { itemBytes, pes, nodes, network });
  const plan = planConveyor(model, amounts, forced);
  if (plan !== null && plan.options.bufferBytes > MAX_BUFFER_BYTES && forced.bufferBytes === undefined) {
    throw new UsageError(
      `itemBytes: expected items that fit in a buffer of at most ${MAX_BUFFER_BYTES} bytes with their tag, got ${itemBytes}. ` +
        "Send larger ones by an elastic conveyor, in pieces.",
    );
  }
  if (plan !== null) return plan;
  const least = candidatesFor({ pes: model.pes, itemBytes, forced });
  throw new UsageError(
    least.length === 0
      ? "makePlan: no plan is possible with the forced choices: a group size must divide the number of PEs, and the sizes of a mesh must have it as their product; more than one hop needs " +
          "a tensor, and a buffer must hold an item with its tag (4 bytes)"
      : `maxBytes: expected more than ${maxBytes} bytes per PE for ${model.pes} PEs, as no plan keeps to that. Leave it out, or increase it.`,
  );
}

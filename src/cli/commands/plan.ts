/** `tundish plan`: how a conveyor should be made for what it is to carry, and why. */
import type { SimulatedNetwork } from "../../plan/cluster.ts";
import { makePlan, type PlanWorkload } from "../../plan/make.ts";
import type { Forced } from "../../plan/types.ts";
import { type ExitCode, OK } from "../terminal/exit.ts";
import { findModel } from "../terminal/model.ts";
import type { Output } from "../terminal/output.ts";

/** The options as commander gives them. */
export interface PlanCommandOptions extends SimulatedNetwork, Forced {
  readonly itemBytes: number;
  readonly load: number;
  readonly pes?: number;
  readonly nodes?: number;
  readonly destinations?: number;
  readonly maxBytes?: number;
}

/**
 * Chooses and prints.
 * @throws ModelError for a file without a model, UsageError for what cannot be
 */
export async function planCommand(
  file: string | undefined,
  options: PlanCommandOptions,
  output: Output,
): Promise<ExitCode> {
  const machine = await findModel(file, output);
  const { itemBytes, load, pes, nodes, destinations, maxBytes, alpha, beta, receiver } = options;
  const { type, hops, groupSize, bufferBytes, buffersPerLink } = options;
  const forced = { type, hops, groupSize, bufferBytes, buffersPerLink };
  const workload: PlanWorkload = { itemBytes, load, pes, nodes, destinations, maxBytes, ...forced };
  const plan = makePlan(machine, { ...workload, network: { alpha, beta, receiver } });
  if (output.json) {
    const { options: choice, expected, others, forced, candidates } = plan;
    output.document({
      schema: "tundish/plan@1",
      machine: machine.name,
      workload,
      choice,
      expected,
      others,
      forced,
      candidates,
    });
  } else {
    output.print(plan.explain());
  }
  return OK;
}

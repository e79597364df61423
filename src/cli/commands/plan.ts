/** `tundish plan`: the best choices for a conveyor with a given load, and the reasons. */
import { makePlan, type PlanWorkload } from "../../plan/make.ts";
import type { NetworkLine } from "../../plan/network.ts";
import type { Forced } from "../../plan/types.ts";
import { type ExitCode, OK } from "../terminal/exit.ts";
import { findModel } from "../terminal/model.ts";
import type { Output } from "../terminal/output.ts";

/** The options as parsed by commander. */
export interface PlanCommandOptions extends NetworkLine, Forced {
  readonly itemBytes: number;
  readonly load: number;
  readonly pes?: number;
  readonly nodes?: number;
  readonly destinations?: number;
  readonly maxBytes?: number;
}

/**
 * Plans and prints.
 * @throws ModelError for a file that is not a model, UsageError for invalid options
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

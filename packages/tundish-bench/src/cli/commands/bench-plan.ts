/** `tundish bench plan`: compares plans of conveyors with an exhaustive sweep and with rules, in the simulator. */

import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { interruptSignal } from "../../../../../src/interface/cli/terminal/interrupt.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { showProgress } from "../../../../../src/interface/cli/terminal/progress.ts";
import { readMachine } from "../../../../../src/machine/model/model.ts";
import type { PlanNetwork } from "../../plan/plan-cases.ts";
import { planSummaryText, plansText } from "../text/bench-plan-text.ts";
import { filesOf } from "./bench-trees.ts";

/** The options as parsed by commander. */
export interface BenchPlanOptions {
  readonly cases?: number;
  readonly from?: number;
  readonly seed?: number;
  readonly network?: PlanNetwork;
  readonly figure?: 5;
  readonly svg?: string;
  readonly mostNodes?: number;
  readonly itemBytes?: number;
  readonly load?: number;
  readonly measure?: boolean;
  readonly aggregation?: boolean;
  readonly pes?: readonly number[];
  readonly turns?: number;
  readonly quick?: boolean;
  readonly caches?: boolean;
}

const CASES = 100;

/**
 * Compares and prints. All models are read before the work begins.
 * @throws ModelError for a file that is not a model, UsageError for a folder without one
 */
export async function benchPlanCommand(
  paths: readonly string[],
  { cases = CASES, from = 1, seed = 1, network = "congested" }: BenchPlanOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  const models = await Promise.all(paths.flatMap(filesOf).map(readMachine));
  const { benchPlan } = await import("../../plan/bench-plan.ts");
  const { planSummary } = await import("../../plan/plan-summary.ts");
  const progress = showProgress(output, "bench");
  try {
    const { onProgress } = progress;
    const signal = interruptSignal(output);
    const all = await benchPlan({ cases, from: from - 1, seed, network, models, onProgress, signal });
    progress.stop();
    const summary = planSummary(all);
    if (output.json) output.document({ schema: "tundish/bench-plan@2", seed, network, summary, cases: all });
    else {
      output.section("Plans, by case", plansText(all));
      output.section(`Over the best of an exhaustive sweep, ${summary.cases} cases`, planSummaryText(summary));
    }
  } finally {
    progress.stop();
  }
  return OK;
}

/** `tundish bench plan --aggregation`: judges the model of aggregation by sweeps of buffers in the simulator. */
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { interruptSignal } from "../../../../../src/interface/cli/terminal/interrupt.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { aggregationSummaryText, aggregationsText } from "../text/bench-aggregation-text.ts";
import { withProgress } from "./bench.ts";
import type { BenchPlanOptions } from "./bench-plan.ts";

const CASES = 60;

/** Judges and prints. */
export async function benchPlanAggregationCommand(
  { cases = CASES, seed = 1 }: BenchPlanOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  const { benchAggregation } = await import("../../plan/aggregation.ts");
  const { aggregationSummary } = await import("../../plan/aggregation-summary.ts");
  const signal = interruptSignal(output);
  const all = await withProgress("bench", output, (onProgress) =>
    benchAggregation({ cases, seed, onProgress, signal }),
  );
  const summary = aggregationSummary(all);
  if (output.json) {
    output.document({ schema: "tundish/bench-plan-aggregation@1", seed, summary, cases: all });
    return OK;
  }
  output.section("Buffers, by case: items, and what an item costs, simulated", aggregationsText(all));
  output.section(`Cost of an item, ${all.length} cases`, aggregationSummaryText(summary));
  return OK;
}

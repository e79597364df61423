/** `tundish bench plan`: compares plans of conveyors with an exhaustive sweep and bale's rule, in the simulator. */
import type { PlanComparison, PlanSummary, TimedChoice } from "../../../bench/plan/bench-plan.ts";
import { bytesText, durationText, percentText } from "../../base/units.ts";
import { readMachine } from "../../machine/model.ts";
import { type ExitCode, OK } from "../terminal/exit.ts";
import { interruptSignal } from "../terminal/interrupt.ts";
import type { Output } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";
import { tableText } from "../text/table.ts";
import { filesOf } from "./bench-trees.ts";

/** The options as parsed by commander. */
export interface BenchPlanOptions {
  readonly cases?: number;
  readonly seed?: number;
  readonly figure?: 5;
  readonly svg?: string;
  readonly mostNodes?: number;
  readonly itemBytes?: number;
  readonly load?: number;
  readonly measure?: boolean;
  readonly pes?: readonly number[];
  readonly turns?: number;
  readonly quick?: boolean;
}

const CASES = 100;

/**
 * Compares and prints. All models are read before the work begins.
 * @throws ModelError for a file that is not a model, UsageError for a folder without one
 */
export async function benchPlanCommand(
  paths: readonly string[],
  { cases = CASES, seed = 1 }: BenchPlanOptions,
  output: Output,
): Promise<ExitCode> {
  const models = await Promise.all(paths.flatMap(filesOf).map(readMachine));
  const { benchPlan, planSummary } = await import("../../../bench/plan/bench-plan.ts");
  const progress = showProgress(output, "bench");
  try {
    const all = await benchPlan({
      cases,
      seed,
      models,
      onProgress: progress.onProgress,
      signal: interruptSignal(output),
    });
    progress.stop();
    const summary = planSummary(all);
    if (output.json) output.document({ schema: "tundish/bench-plan@1", seed, summary, cases: all });
    else printComparisons(all, summary, output);
  } finally {
    progress.stop();
  }
  return OK;
}

function printComparisons(all: readonly PlanComparison[], summary: PlanSummary, output: Output): void {
  const name = ({ type, hops, groupSize, bufferBytes, buffersPerLink }: TimedChoice) =>
    `${type} ${hops}${hops === 1 ? "" : `/${groupSize}`} ${buffersPerLink} x ${bytesText(bufferBytes)}`;
  const rows = all.map((one) => [
    `${one.nodes} x ${one.pes / one.nodes}`,
    String(one.itemBytes),
    String(one.load),
    one.maxBytes === null ? "-" : bytesText(one.maxBytes),
    name(one.plan),
    durationText(one.plan.time),
    name(one.best),
    percentText(one.regret),
    percentText(one.regretOfBale),
  ]);
  const head = [
    "nodes x PEs",
    "item",
    "load",
    "budget",
    "plan",
    "takes",
    "best",
    "plan over best",
    "bale's over best",
  ];
  output.section("Plans, by case", tableText(head, rows, [0, 4, 6]));
  const { medianRegret, worstRegret, medianRegretOfBale, worstRegretOfBale } = summary;
  output.section(
    `Over the best of an exhaustive sweep, ${summary.cases} cases`,
    tableText(
      ["", "median", "worst"],
      [
        ["plan", percentText(medianRegret), percentText(worstRegret)],
        ["bale's rule", percentText(medianRegretOfBale), percentText(worstRegretOfBale)],
      ],
    ),
  );
  output.print(
    `Against bale's rule: by more than 5 % faster in ${summary.fasterThanBale} cases, slower in ${summary.slowerThanBale} ` +
      `(at most ${percentText(summary.worstOverBale)}).`,
  );
}

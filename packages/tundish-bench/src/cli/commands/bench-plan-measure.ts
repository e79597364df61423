/** `tundish bench plan --measure`: compares plans with a grid of choices on real threads, or nodes under mpirun. */

import { bytesText, durationText, percentText, ratioText } from "../../../../../src/ground/base/units.ts";
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { interruptSignal } from "../../../../../src/interface/cli/terminal/interrupt.ts";
import { defaultModelFile } from "../../../../../src/interface/cli/terminal/model.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { readMachine } from "../../../../../src/machine/model/model.ts";
import { isFirst } from "../../../../../src/machine/mpi/launcher.ts";
import type { Candidate } from "../../../../../src/plan/model/cost-model.ts";
import type { MeasuredComparison, MeasuredSummary } from "../../plan/measure.ts";
import { withProgress } from "./bench.ts";
import type { BenchPlanOptions } from "./bench-plan.ts";

/**
 * Measures and prints; under mpirun every process measures, and the first one prints.
 * @param file machine model @throws ModelError for a file that is none; what `measurePlans` throws
 */
export async function benchPlanMeasureCommand(
  file: string | undefined,
  { pes, turns, quick }: BenchPlanOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  if (!isFirst(process.env)) output.mute();
  const model = file ?? defaultModelFile();
  const machine = model === undefined ? undefined : await readMachine(model);
  const { measurePlans, measuredSummary, MEASURED_TARGETS } = await import("../../plan/measure.ts");
  const signal = interruptSignal(output);
  const all = await withProgress("bench", output, (onProgress) =>
    measurePlans({ pes, machine, rounds: turns, quick, onProgress, signal }),
  );
  // the other nodes have no results
  if (all.length === 0) return OK;
  const summary = measuredSummary(all);
  if (output.json) {
    output.document({
      schema: "tundish/bench-plan-measured@1",
      summary,
      targets: MEASURED_TARGETS,
      cases: all,
    });
  } else {
    printMeasured(all, summary, MEASURED_TARGETS, output);
  }
  return OK;
}

const nameOf = ({ type, hops, groupSize, bufferBytes, buffersPerLink }: Candidate) =>
  `${type} ${hops}${hops === 1 ? "" : `/${groupSize}`} ${buffersPerLink} x ${bytesText(bufferBytes)}`;

function printMeasured(
  all: readonly MeasuredComparison[],
  { cases, plan, tuned, ratio }: MeasuredSummary,
  targets: MeasuredSummary["plan"],
  output: CommandOutput,
): void {
  const rows = all.map((one) => [
    `${one.nodes} x ${one.allPes / one.nodes}`,
    String(one.itemBytes),
    String(one.load),
    nameOf(one.plan),
    durationText(one.time),
    durationText(one.expected),
    nameOf(one.tuned),
    nameOf(one.best),
    percentText(one.regret),
    percentText(one.regretOfTuned),
  ]);
  const head = [
    "nodes x PEs",
    "item",
    "load",
    "plan",
    "takes",
    "predicted",
    "tuned",
    "best",
    "plan over best",
    "tuned over best",
  ];
  output.section("Plans on real threads, by case", tableText(head, rows, [0, 3, 6, 7]));
  const line = (name: string, one: MeasuredSummary["plan"]) => [name, one.median.toFixed(2), one.worst.toFixed(2)];
  output.section(
    `Time by the best of a measured grid, ${cases} cases`,
    tableText(
      ["", "median", "worst"],
      [line("plan", plan), line("tuned plan", tuned), line("target: at most", targets)],
    ),
  );
  output.print(`A session takes ${ratioText(ratio)} what was predicted (median).`);
}

/** `tundish bench traffic --measure`: disciplines on real threads, or over the nodes of mpirun. */

import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { interruptSignal } from "../../../../../src/interface/cli/terminal/interrupt.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { isFirst } from "../../../../../src/machine/mpi/launcher.ts";
import type { PatternName } from "../../traffic/patterns.ts";
import {
  measuredTrafficText,
  sentAgainText,
  trafficSummaryText,
  trafficTimesText,
} from "../text/measured-traffic-text.ts";
import { withProgress } from "./bench.ts";

/** The options as parsed by commander. */
export interface MeasureTrafficCommandOptions {
  readonly pes?: number;
  readonly patterns?: readonly PatternName[];
  readonly sizes?: readonly number[];
  readonly turns?: number;
  readonly budget?: number;
  readonly quick?: boolean;
}

/**
 * Measures and prints; under mpirun every process measures, and the first one prints. @throws what `measureTraffic`
 * throws
 */
export async function benchTrafficMeasureCommand(
  { budget: budgetMs, ...options }: MeasureTrafficCommandOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  if (!isFirst(process.env)) output.mute();
  const { measureTraffic, trafficSummary, TRAFFIC_TARGETS } = await import("../../traffic/measure.ts");
  const signal = interruptSignal(output);
  const all = await withProgress("bench", output, (onProgress) =>
    measureTraffic({ ...options, budgetMs, onProgress, signal }),
  );
  // the other nodes have no results
  if (all.length === 0) return OK;
  const summary = trafficSummary(all);
  if (output.json) {
    output.document({
      schema: "tundish/bench-traffic-measured@1",
      summary,
      targets: TRAFFIC_TARGETS,
      cases: all,
    });
    return OK;
  }
  const { nodes, pes } = all[0];
  output.section(
    `Time of a phase, ms, ${nodes} x ${pes / nodes} PEs; those after a - were given up as slow`,
    trafficTimesText(all),
  );
  const again = sentAgainText(all);
  if (again !== null) output.section("Segments that TCP sent again in a phase (and its timeouts)", again);
  output.section("What a plan chooses, the best, and eager: medians and quartiles", measuredTrafficText(all));
  output.print(trafficSummaryText(summary, TRAFFIC_TARGETS));
  return OK;
}

/**
 * `tundish bench adapt`: the option adapt of conveyors beside the best of fixed sizes, in the simulator and on threads.
 */
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { interruptSignal } from "../../../../../src/interface/cli/terminal/interrupt.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { adaptingSummaryText, measuredAdaptingText, simulatedAdaptingText } from "../text/bench-adapt-text.ts";
import { withProgress } from "./bench.ts";

/** The options as parsed by commander. */
export interface BenchAdaptOptions {
  readonly only?: "simulator" | "threads";
  readonly pes?: readonly number[];
  readonly rounds?: number;
  readonly quick?: boolean;
}

/** Compares and prints. */
export async function benchAdaptCommand(
  { only, pes, rounds, quick }: BenchAdaptOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  const { measureAdapting } = await import("../../adapt/measure.ts");
  const { simulateAdapting } = await import("../../adapt/simulate.ts");
  const signal = interruptSignal(output);
  const [simulated, measured] = await withProgress("bench", output, async (onProgress) => [
    only === "threads" ? [] : await simulateAdapting({ quick, onProgress, signal }),
    only === "simulator" ? [] : await measureAdapting({ pes, rounds, quick, onProgress, signal }),
  ]);
  if (output.json) {
    output.document({ schema: "tundish/bench-adapt@1", simulated, measured });
    return OK;
  }
  if (simulated.length > 0) output.section("In the simulator", simulatedAdaptingText(simulated));
  if (measured.length > 0) output.section("On the threads of this machine", measuredAdaptingText(measured));
  for (const [where, all] of [
    ["simulator", simulated],
    ["threads", measured],
  ] as const) {
    if (all.length > 0) output.print(adaptingSummaryText(where, all));
  }
  return OK;
}

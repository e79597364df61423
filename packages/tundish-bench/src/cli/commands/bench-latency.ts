/** `tundish bench latency`: how long items of a stream are under way, by its rate, beside postMessage. */
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { interruptSignal } from "../../../../../src/interface/cli/terminal/interrupt.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { distancesText, latencyText } from "../text/bench-latency-text.ts";
import { withProgress } from "./bench.ts";

/** The options as parsed by commander. */
export interface BenchLatencyOptions {
  readonly rates?: readonly number[];
  readonly cpus?: readonly number[];
  readonly turns?: number;
  readonly quick?: boolean;
}

/** Measures and prints. @throws what `benchLatency` throws */
export async function benchLatencyCommand(options: BenchLatencyOptions, output: CommandOutput): Promise<ExitCode> {
  const { benchLatency } = await import("../../latency/latency.ts");
  const signal = interruptSignal(output);
  const bench = await withProgress("bench", output, (onProgress) => benchLatency({ ...options, onProgress, signal }));
  if (output.json) {
    output.document({ schema: "tundish/bench-latency@1", ...bench });
    return OK;
  }
  output.section(`Items of ${bench.bytes} B from each PE to the next one, from when they are due`, latencyText(bench));
  output.print(distancesText(bench));
  return OK;
}

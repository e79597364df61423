/** `tundish bench channels`: channels between two PEs, beside a queue in C and postMessage. */
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { interruptSignal } from "../../../../../src/interface/cli/terminal/interrupt.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { channelsModeText, channelsTexts } from "../text/bench-channels-text.ts";
import { withProgress } from "./bench.ts";

/** The options as parsed by commander. */
export interface BenchChannelsOptions {
  readonly sizes?: readonly number[];
  readonly cpus?: readonly number[];
  readonly turns?: number;
  readonly budget?: number;
  readonly quick?: boolean;
}

/** Measures and prints. @throws what `benchChannels` throws */
export async function benchChannelsCommand(
  { budget, ...options }: BenchChannelsOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  const { benchChannels } = await import("../../channels/bench-channels.ts");
  const signal = interruptSignal(output);
  const bench = await withProgress("bench", output, (onProgress) =>
    benchChannels({ ...options, ...(budget !== undefined && { budgetMs: budget }), onProgress, signal }),
  );
  if (output.json) {
    output.document({ schema: "tundish/bench-channels@1", ...bench });
    return OK;
  }
  for (const { title, text } of channelsTexts(bench)) output.section(title, text);
  output.print(channelsModeText(bench));
  for (const { name, reason } of bench.missing) output.print(`not measured: ${name} (${reason})`);
  return OK;
}

/** `tundish run`: an SPMD program on the cores of this machine. */

import type { ChannelKind } from "../../../ground/base/channel-kinds.ts";
import type { Algorithm } from "../../../ground/base/tree-algorithms.ts";
import type { Fit } from "../../../plan/document/fits.ts";
import { launchWithNotice } from "../../../running/launch/launch.ts";
import type { LaunchOptions } from "../../../running/run/options.ts";
import { type ErrorEntry, type ExitCode, errorEntry, errorText, FAILED, OK } from "../terminal/exit.ts";
import { checkFile } from "../terminal/files.ts";
import { interruptSignal } from "../terminal/interrupt.ts";
import { defaultModelFile } from "../terminal/model.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { resultLine, resultsJson } from "../text/results.ts";

/** The options as parsed by commander. */
export interface RunCommandOptions {
  readonly pes?: number;
  readonly machine?: string;
  readonly timeout?: number;
  readonly waitTimeout?: number;
  readonly pin: boolean;
  readonly heap?: number;
  readonly stallAfter?: number;
  readonly trace?: string;
  readonly tagOutput?: boolean;
  readonly trees?: Algorithm;
  readonly plan?: string;
  readonly fit?: Fit;
  readonly channel?: ChannelKind;
}

/**
 * Runs `module` and prints what its PEs return; returns {@link FAILED} if the trace could not be written.
 * @throws what `launch` throws; UsageError for results that cannot be converted to JSON
 */
export async function runCommand(
  module: string,
  args: readonly string[],
  options: RunCommandOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  if (output.json) output.keepStdoutForData();
  if (options.trace !== undefined) checkFile("--trace", options.trace);
  const machine = options.machine ?? defaultModelFile();
  if (options.machine === undefined && machine !== undefined && output.verbose) {
    output.note(`machine model: ${machine}`);
  }
  const launchOptions: LaunchOptions = {
    args: [...args],
    pin: options.pin,
    signal: interruptSignal(output),
    ...(machine === undefined ? {} : { machine }),
    ...(options.pes === undefined ? {} : { pes: options.pes }),
    ...(options.trees === undefined ? {} : { trees: options.trees }),
    ...(options.plan === undefined ? {} : { plan: options.plan }),
    ...(options.fit === undefined ? {} : { fit: options.fit }),
    ...(options.channel === undefined ? {} : { channel: options.channel }),
    ...(options.heap === undefined ? {} : { heapBytes: options.heap }),
    ...(options.stallAfter === undefined ? {} : { stallAfter: options.stallAfter }),
    ...(options.trace === undefined ? {} : { trace: options.trace }),
    ...(options.tagOutput === undefined ? {} : { tagOutput: options.tagOutput }),
    ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    ...(options.waitTimeout === undefined ? {} : { waitTimeout: options.waitTimeout }),
  };
  let error: ErrorEntry | undefined;
  const run = launchWithNotice(module, launchOptions, (why) => {
    process.stderr.write(errorText(why, output.verbose));
    error = errorEntry(why, FAILED);
  });
  const results = await run;
  const { first } = run;
  if (output.json)
    output.print(resultsJson({ schema: "tundish/run@1", ...(first > 0 ? { first } : {}), results, error }));
  else printResults(results, first, output);
  return error === undefined ? OK : FAILED;
}

function printResults(results: readonly unknown[], first: number, output: CommandOutput): void {
  results.forEach((value, index) => {
    if (value !== undefined) output.print(resultLine(value, first + index, output));
  });
}

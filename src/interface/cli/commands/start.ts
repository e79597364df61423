/** `tundish start`: everything in one command, from the topology to a measured barrier. */
import type { Comparison, Profiled } from "../../../../microbench/pairs/profiled.ts";
import { generateTrees } from "../../../../trees/generate/generate.ts";
import { writeMachine } from "../../../machine/model/model.ts";
import { readTopology } from "../../../machine/topology/topology.ts";
import { type ExitCode, OK } from "../terminal/exit.ts";
import { checkFile } from "../terminal/files.ts";
import { interruptSignal } from "../terminal/interrupt.ts";
import { MACHINE_FILE } from "../terminal/model.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";
import { wrapText } from "../terminal/wrap.ts";
import { printComparison } from "../text/comparison-text.ts";
import { noiseText, printCosts } from "../text/cost-text.ts";
import { topologyText } from "../text/topology-text.ts";
import { printTrees } from "../text/tree-report.ts";
import { type MeasureOptions, measure } from "./measure.ts";

/** The options as parsed by commander. */
export interface StartCommandOptions extends MeasureOptions {
  readonly turns?: number;
}

/**
 * Profiles, writes the model, derives trees, compares the collectives with other programs, and prints everything.
 * @throws what the measurements throw; UsageError for a file that cannot be written
 */
export async function startCommand(options: StartCommandOptions, output: CommandOutput): Promise<ExitCode> {
  const file = options.output ?? MACHINE_FILE;
  checkFile("--output", file);
  const signal = interruptSignal(output);
  const topology = await readTopology();
  if (!output.json) output.section("Topology", topologyText(topology));
  for (const note of topology.notes) output.note(`note: ${note}`);
  const machine = await measure(topology, options, output, signal);
  await writeMachine(file, machine);
  output.note(`wrote ${file}`);
  if (!output.json) {
    printCosts(machine, output);
    output.print(`${wrapText(noiseText(machine), 0)}\n`);
  }
  const trees = generateTrees(machine);
  if (!output.json) printTrees(trees, machine, output);
  const comparison = await compareHere(machine, options, output, signal);
  if (output.json) {
    output.document({ schema: "tundish/start@1", machine, trees, comparison });
  } else {
    printComparison(comparison, output);
    if (!machine.noise.stable) output.print(output.style("yellow", wrapText(noiseText(machine), 0)));
  }
  return OK;
}

async function compareHere(
  machine: Profiled,
  { turns, budget }: StartCommandOptions,
  output: CommandOutput,
  signal: AbortSignal,
): Promise<Comparison> {
  const { compare } = await import("../../../../microbench/collectives/compare.ts");
  const progress = showProgress(output, "compare");
  try {
    return await compare(machine, {
      ...(turns === undefined ? {} : { turns }),
      ...(budget === undefined ? {} : { budgetMs: budget }),
      onProgress: progress.onProgress,
      signal,
    });
  } finally {
    progress.stop();
  }
}

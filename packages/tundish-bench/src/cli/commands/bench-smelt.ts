/** `tundish bench smelt`: the evaluation of Smelt's paper on this machine and in the simulator. */

import type { ExitCode } from "../../../../../src/interface/cli/terminal/exit.ts";
import { checkFile, saveText } from "../../../../../src/interface/cli/terminal/files.ts";
import { findModel } from "../../../../../src/interface/cli/terminal/model.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { readMachine } from "../../../../../src/machine/model/model.ts";
import type { SmeltPart } from "../../smelt/smelt-parts.ts";
import { printSmelt } from "../text/smelt/smelt-text.ts";
import { type CommonBenchOptions, common, verdict, withProgress } from "./bench.ts";
import { filesOf } from "./bench-trees.ts";

/** The options as parsed by commander. */
export interface BenchSmeltOptions extends CommonBenchOptions {
  readonly only?: SmeltPart;
  readonly pes?: readonly number[];
  readonly cpus?: readonly number[];
  readonly machines?: readonly string[];
  readonly svg?: string;
}

/**
 * Measures and prints; returns NOISY if the machine did not stay in one mode. Who is faster does not affect the exit
 * code.
 * @throws what `benchSmelt` throws, and ModelError for a file that is not a model
 */
export async function benchSmeltCommand(options: BenchSmeltOptions, output: CommandOutput): Promise<ExitCode> {
  const { only, pes, cpus, machine, machines: files, svg } = options;
  if (svg !== undefined) checkFile("--svg", svg);
  const { benchSmelt } = await import("../../smelt/bench-smelt.ts");
  const machines = files && (await Promise.all(files.flatMap(filesOf).map((file) => readMachine(file))));
  // the simulated machines need none of this one
  const own = only === "simulated" ? undefined : await findModel(machine, output);
  const bench = await withProgress("bench", output, (onProgress) =>
    benchSmelt({ ...common(options, output), only, pes, cpus, machines, machine: own, onProgress }),
  );
  if (svg !== undefined && bench.agreement) {
    const { agreementSvg } = await import("../../smelt/agreement-svg.ts");
    const { agreementFigures } = await import("../../smelt/smelt-agreement.ts");
    await saveText(svg, agreementSvg(agreementFigures(bench.agreement.measured)));
    output.note(`wrote ${svg}`);
  }
  if (output.json) {
    output.document({ schema: "tundish/bench-smelt@1", node: process.versions.node, ...bench });
  } else {
    printSmelt(bench, output);
  }
  return verdict(bench.stable, options, output);
}

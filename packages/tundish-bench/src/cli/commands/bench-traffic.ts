/** `tundish bench traffic`: bulk data under disciplines, on the machines of a paper, in the simulator. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { checkFile, saveText } from "../../../../../src/interface/cli/terminal/files.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import type { TrafficMachineName } from "../../traffic/machines.ts";
import { assumptionsText, checksText, trafficText } from "../text/bench-traffic-text.ts";
import { withProgress } from "./bench.ts";

/** The options as parsed by commander. */
export interface BenchTrafficOptions {
  readonly like?: TrafficMachineName;
  readonly figures?: string;
  readonly pacing?: boolean;
  readonly seed?: number;
  readonly quick?: boolean;
}

const SCHEMA = "tundish/bench-traffic@1";
const PACING = "tundish/bench-pacing@1";

/**
 * Runs all disciplines under all patterns, or the figures, or the sweep of paces.
 * @throws UsageError for a folder that cannot be written to
 */
export function benchTrafficCommand(options: BenchTrafficOptions, output: CommandOutput): Promise<ExitCode> {
  const { figures, pacing } = options;
  if (pacing === true) return sweep(options, output);
  return figures === undefined ? compare(options, output) : draw(figures, options, output);
}

async function compare(
  { like = "paragon", seed, quick }: BenchTrafficOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  const { machines } = await import("../../traffic/machines.ts");
  const { compareTraffic } = await import("../../traffic/compare.ts");
  const machine = machines[like];
  // Ctrl-C ends the process at once, as without a handler: a simulation does not await
  const runs = await withProgress("bench", output, (onProgress) =>
    compareTraffic({ machine, seed, quick, onProgress }),
  );
  if (output.json) {
    output.document({ schema: SCHEMA, machine, runs, figures: [], checks: [] });
    return OK;
  }
  output.section(`${machine.title}, ${machine.nodes} nodes, simulated`, trafficText(runs));
  output.section("Assumed, as no source gives it", assumptionsText(machine));
  return OK;
}

async function sweep({ like, seed, quick }: BenchTrafficOptions, output: CommandOutput): Promise<ExitCode> {
  const { judgePaces } = await import("../../traffic/pacing.ts");
  const { pacingText } = await import("../text/bench-pacing-text.ts");
  const judged = await withProgress("bench", output, (onProgress) => judgePaces({ like, seed, quick, onProgress }));
  if (output.json) output.document({ schema: PACING, judged });
  else output.section("Packets and their pace by the rule, and the best of a sweep, simulated", pacingText(judged));
  return OK;
}

async function draw(folder: string, { seed, quick }: BenchTrafficOptions, output: CommandOutput): Promise<ExitCode> {
  const fileOf = (number: number) => join(folder, `traffic-figure${number}.svg`);
  await mkdir(folder, { recursive: true }).catch(() => {});
  checkFile("--figures", fileOf(1));
  const { trafficFigures } = await import("../../traffic/figures.ts");
  const { checksOf } = await import("../../traffic/checks.ts");
  const { trafficSvg } = await import("../../traffic/figures-svg.ts");
  // Ctrl-C ends the process at once, as without a handler: a simulation does not await
  const figures = await withProgress("bench", output, (onProgress) => trafficFigures({ seed, quick, onProgress }));
  for (const figure of figures) await saveText(fileOf(figure.number), trafficSvg(figure));
  output.note(`wrote ${figures.length} figures into ${folder}`);
  const checks = figures.flatMap(checksOf);
  if (output.json) output.document({ schema: SCHEMA, machine: null, runs: [], figures, checks });
  else output.section("What the paper says of its figures", checksText(checks));
  return OK;
}

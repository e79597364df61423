/** `tundish bench tram`: the benchmarks of TRAM's thesis in the simulator, with its figures. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { bytesText } from "../../../../../src/ground/base/units.ts";
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { checkFile, saveText } from "../../../../../src/interface/cli/terminal/files.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { claimsText } from "../../claims/claim.ts";
import { type OpenOptions, openOf } from "../../plan/open-curve.ts";
import { MESSAGE_BYTES } from "../../tram/model.ts";
import { assumedText, byCutoffText, byThresholdText, byTimeoutText, figureText } from "../text/bench-tram-text.ts";
import { withProgress } from "./bench.ts";

/** The options as parsed by commander. */
export interface BenchTramOptions extends OpenOptions {
  readonly figures?: string;
  /** ns */
  readonly alpha?: number;
  readonly quick?: boolean;
}

/**
 * Runs all points, draws them if a folder is named, and prints. @throws UsageError for a folder that cannot be written
 * to
 */
export async function benchTramCommand(options: BenchTramOptions, output: CommandOutput): Promise<ExitCode> {
  const { figures: folder, alpha, quick } = options;
  const { FIGURES, tramFigures } = await import("../../tram/figures.ts");
  const fileOf = (number: string) => join(folder ?? "", `tram-figure${number}.svg`);
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true }).catch(() => {});
    for (const number of Object.keys(FIGURES)) checkFile("--figures", fileOf(number));
  }
  const open = await openOf(options, MESSAGE_BYTES);
  const { claimsOf } = await import("../../tram/claims.ts");
  // Ctrl-C ends the process at once, as without a handler: a simulation does not await
  const figures = await withProgress("bench", output, (onProgress) => tramFigures({ quick, alpha, open, onProgress }));
  const claims = claimsOf(figures);
  if (folder !== undefined) {
    const { tramSvgs } = await import("../../tram/figures-svg.ts");
    const drawn = tramSvgs(figures);
    for (const [number, svg] of drawn) await saveText(fileOf(number), svg);
    output.note(`wrote ${drawn.length} figures into ${folder}`);
  }
  if (output.json) {
    output.document({ schema: "tundish/bench-tram@1", ...figures, claims });
    return OK;
  }
  const { messages, messageBytes, drawn, byThreshold, byCutoff } = figures;
  const { pes } = byThreshold[0];
  output.section("What the thesis says, and whether it is so here", claimsText(claims));
  for (const [name, { machine, title, by }] of Object.entries(FIGURES)) {
    const points = drawn[name as keyof typeof drawn];
    const on = by === "buffer" ? `, ${points[0].pes} PEs` : "";
    output.section(`Figure ${name}: ${title}${on}, ${machine}`, figureText(points, by));
  }
  const what = `${messages} messages of ${messageBytes} B for each other PE`;
  output.section(`Threshold x buffer, ${pes} PEs, ${what}`, byThresholdText(figures));
  output.section(
    `Cutoff, ${byCutoff[0].pes} PEs, buffers of ${bytesText(byCutoff[0].bufferBytes)}`,
    byCutoffText(figures),
  );
  output.section(`Timeout, ${pes} PEs`, byTimeoutText(figures));
  output.section("Less than in the thesis, and what it does not give", assumedText(figures));
  return OK;
}

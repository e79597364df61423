/** `tundish bench tram`: the synthetic benchmark of TRAM's thesis in the simulator, with its figures. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { bytesText } from "../../../../../src/ground/base/units.ts";
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { checkFile, saveText } from "../../../../../src/interface/cli/terminal/files.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { type OpenOptions, openOf } from "../../plan/open-curve.ts";
import { MESSAGE_BYTES } from "../../tram/model.ts";
import {
  assumedText,
  byBufferText,
  byCutoffText,
  byPesText,
  byThresholdText,
  byTimeoutText,
  claimsText,
} from "../text/bench-tram-text.ts";
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
 * to, and as openOf()
 */
export async function benchTramCommand(options: BenchTramOptions, output: CommandOutput): Promise<ExitCode> {
  const { figures: folder, alpha, quick } = options;
  const fileOf = (number: string) => join(folder ?? "", `tram-figure${number}.svg`);
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true }).catch(() => {});
    for (const number of ["5.5", "5.7"]) checkFile("--figures", fileOf(number));
  }
  const open = await openOf(options, MESSAGE_BYTES);
  const { tramFigures } = await import("../../tram/figures.ts");
  const { claimsOf } = await import("../../tram/claims.ts");
  // Ctrl-C ends the process at once, as without a handler: a simulation does not await
  const figures = await withProgress("bench", output, (onProgress) => tramFigures({ quick, alpha, open, onProgress }));
  const claims = claimsOf(figures);
  if (folder !== undefined) {
    const { tramSvgs } = await import("../../tram/figures-svg.ts");
    const drawn = Object.entries(tramSvgs(figures));
    for (const [number, svg] of drawn) await saveText(fileOf(number), svg);
    output.note(`wrote ${drawn.length} figures into ${folder}`);
  }
  if (output.json) {
    output.document({ schema: "tundish/bench-tram@1", ...figures, claims });
    return OK;
  }
  const { messages, messageBytes, byBuffer, byCutoff } = figures;
  const { pes } = byBuffer[0];
  output.section("What the thesis says, and whether it is so here", claimsText(claims));
  output.section(
    `Figure 5.5: time by PEs, ${messages} messages of ${messageBytes} B for each other PE, simulated`,
    byPesText(figures),
  );
  output.section(`Figure 5.7: time by effective size of buffers, ${pes} PEs`, byBufferText(figures));
  output.section(`Threshold x buffer, ${pes} PEs`, byThresholdText(figures));
  output.section(
    `Cutoff, ${byCutoff[0].pes} PEs, buffers of ${bytesText(byCutoff[0].bufferBytes)}`,
    byCutoffText(figures),
  );
  output.section(`Timeout, ${pes} PEs`, byTimeoutText(figures));
  output.section("Less than in the thesis, and what it does not give", assumedText(figures));
  return OK;
}

/** `tundish bench paper`: the statements of the papers on conveyors and on one-sided append, by model and simulator. */
import { UsageError } from "../../../../../src/ground/base/errors.ts";
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { checkFile, saveText } from "../../../../../src/interface/cli/terminal/files.ts";
import { interruptSignal } from "../../../../../src/interface/cli/terminal/interrupt.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { claimsText } from "../../claims/claim.ts";
import { appendText, checkedText, curvesText, reasonsText } from "../text/bench-paper-text.ts";
import { withProgress } from "./bench.ts";

/** A paper with a part here. */
export type Paper = "conveyors" | "append";

/** The options as parsed by commander. */
export interface BenchPaperOptions {
  readonly svg?: string;
  readonly quick?: boolean;
}

const SCHEMA = "tundish/bench-paper@1";
const CLAIMS = "What the paper says, and whether it is so here";
const ASSUMPTIONS = "What the paper does not give";

/** Measures and prints. @throws UsageError for a file that cannot be written, or where nothing is drawn */
export async function benchPaperCommand(
  paper: Paper,
  { svg, quick = false }: BenchPaperOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  if (svg !== undefined && paper === "append")
    throw new UsageError(
      "--svg expected the paper conveyors, got append; `tundish bench append` draws what it measures",
    );
  if (svg !== undefined) checkFile("--svg", svg);
  return paper === "append" ? append(quick, output) : conveyors(svg, quick, output);
}

async function append(quick: boolean, output: CommandOutput): Promise<ExitCode> {
  const { appendPaper, appendClaims, APPEND_ASSUMED } = await import("../../paper/append.ts");
  const rates = appendPaper(quick);
  const claims = appendClaims(rates);
  if (output.json) {
    output.document({ schema: SCHEMA, paper: "append", assumed: APPEND_ASSUMED, rates, claims });
    return OK;
  }
  output.section(CLAIMS, claimsText(claims));
  output.section("Figures 2 and 3: bandwidth of a PE by bytes of a message, 16 PEs, simulated", appendText(rates));
  output.section(ASSUMPTIONS, reasonsText(APPEND_ASSUMED));
  return OK;
}

async function conveyors(svg: string | undefined, quick: boolean, output: CommandOutput): Promise<ExitCode> {
  const { conveyorsPaper } = await import("../../paper/conveyors.ts");
  const { conveyorsClaims } = await import("../../paper/conveyors-claims.ts");
  const signal = interruptSignal(output);
  const found = await withProgress("bench", output, (onProgress) => conveyorsPaper({ quick, onProgress, signal }));
  const claims = conveyorsClaims(found);
  if (svg !== undefined) {
    const { conveyorsSvg } = await import("../../paper/conveyors-svg.ts");
    await saveText(svg, conveyorsSvg(found));
    output.note(`wrote ${svg}`);
  }
  if (output.json) {
    output.document({ schema: SCHEMA, paper: "conveyors", ...found, claims });
    return OK;
  }
  const { curves, checked, assumed } = found;
  const [{ nodes, nodeSize }] = checked;
  output.section(CLAIMS, claimsText(claims));
  output.section("Figures 5 to 7: GB/s of a node by nodes, and the best hops, by the model", curvesText(curves));
  output.section(`Small ones: ${nodes} nodes of ${nodeSize} PEs`, checkedText(checked));
  output.section(ASSUMPTIONS, reasonsText(assumed));
  return OK;
}

/** `tundish bench plan --figure 5`: bandwidth by nodes and hops, predicted and simulated. */

import { amountText, bytesText, percentText } from "../../../../../src/ground/base/units.ts";
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import { checkFile, saveText } from "../../../../../src/interface/cli/terminal/files.ts";
import { interruptSignal } from "../../../../../src/interface/cli/terminal/interrupt.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import type { Figure5 } from "../../plan/figure5.ts";
import { openOf } from "../../plan/open-curve.ts";
import { withProgress } from "./bench.ts";
import type { BenchPlanOptions } from "./bench-plan.ts";

/**
 * Predicts, simulates, prints, and draws if a file is named.
 * @param machine the file of a model whose open buffers count
 * @throws UsageError for a file that cannot be written, and as openOf()
 */
export async function benchPlanFigureCommand(
  machine: string | undefined,
  options: BenchPlanOptions,
  output: CommandOutput,
): Promise<ExitCode> {
  const { svg, mostNodes, itemBytes = 16, load, caches } = options;
  if (svg !== undefined) checkFile("--svg", svg);
  const open = await openOf({ machine, caches }, itemBytes);
  const { figure5, lossOf, distanceOf } = await import("../../plan/figure5.ts");
  const signal = interruptSignal(output);
  const figure = await withProgress("bench", output, (onProgress) =>
    figure5({ mostNodes, itemBytes, load, open, onProgress, signal }),
  );
  const loss = lossOf(figure);
  const distance = distanceOf(figure);
  if (svg !== undefined) {
    const { figure5Svg } = await import("../../plan/figure5-svg.ts");
    await saveText(svg, figure5Svg(figure));
    output.note(`wrote ${svg}`);
  }
  if (output.json) {
    output.document({ schema: "tundish/bench-plan-figure@1", loss, distance, ...figure });
    return OK;
  }
  output.section(
    `Injection bandwidth of a node, ${figure.load} items of ${figure.itemBytes} B from each PE, ${figure.nodeSize} PEs a node`,
    table(figure),
  );
  output.print(
    `Out of a node, with ${loss.pes} PEs and ${loss.hops} hops: ${amountText(loss.bandwidth)} GB/s, ${percentText(loss.loss)} less than ` +
      `the ${amountText(loss.most)} GB/s of ${loss.mostNodes} nodes.`,
  );
  if (distance !== null)
    output.print(`Where both are, the model is at most ${percentText(distance)} from the simulator.`);
  return OK;
}

function table({ points }: Figure5): string {
  const rows = points.map(({ nodes, pes, hops, choice, predicted, simulated }) => [
    String(nodes),
    String(pes),
    String(hops),
    hops === 1 ? "-" : String(choice.groupSize),
    `${choice.buffersPerLink} x ${bytesText(choice.bufferBytes)}`,
    amountText(predicted),
    simulated === null ? "-" : amountText(simulated),
  ]);
  return tableText(["nodes", "PEs", "hops", "groups of", "buffers", "predicted GB/s", "simulated GB/s"], rows, []);
}

/** `tundish bench conveyors --open`: the time of a push by the number and the size of open buffers. */
import { measureOpen } from "../../../../../microbench/items/open-buffers.ts";
import { amountText, bytesText } from "../../../../../src/ground/base/units.ts";
import { type ExitCode, OK } from "../../../../../src/interface/cli/terminal/exit.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";

/** Measures and prints. */
export function benchOpenCommand(quick: boolean, output: CommandOutput): ExitCode {
  const share = quick ? 0 : 1;
  const [items, columns] = [measureOpen("items", share), measureOpen("columns", share)];
  if (output.json) {
    output.document({ schema: "tundish/bench-open@1", node: process.versions.node, items, columns });
    return OK;
  }
  for (const [title, { buffers, sizes }] of [
    ["Item by item", items],
    ["In columns", columns],
  ] as const) {
    const rows = buffers.map((count, k) => [String(count), ...sizes.map(({ push }) => amountText(push[k] as number))]);
    const head = ["open buffers", ...sizes.map(({ bytes }) => `of ${bytesText(bytes)}`)];
    output.section(`${title}: ns for an item of 8 bytes`, tableText(head, rows, []));
  }
  output.print(`An advance looks at each link: ${amountText(items.look)} ns.`);
  return OK;
}

/** Large messages as text: the output of `tundish tree --bytes`. */
import type { Large, LargeChoice } from "../../../trees/model/types.ts";
import { amountText, bytesText, countText, ratioText } from "../../base/units.ts";
import { DEFAULT_CROSSOVERS } from "../../collectives/calls/decide.ts";
import type { MachineModel } from "../../machine/types.ts";
import type { Output } from "../terminal/output.ts";
import { tableText } from "./table.ts";

/** Prints all algorithms for broadcast and allreduce, the fastest first, and those that collectives use. */
export function printLarge(large: LargeChoice, machine: MachineModel, output: Output): void {
  const { bytes, segments, shared } = large;
  for (const operation of ["broadcast", "allreduce"] as const) {
    const title = `Large ${operation}: ${bytesText(bytes)} in ${countText(segments, "message")}, by the model`;
    output.section(title, wayTable(large[operation], machine.unit));
  }
  if (!shared) return;
  const { broadcast, allreduce } = machine.crossovers ?? DEFAULT_CROSSOVERS;
  output.print(
    `On one node collectives take flat (single-copy) above ${bytesText(broadcast)} (broadcast) and scatter above ` +
      `${bytesText(allreduce)} (allreduce); tundish bench crossovers measures where that begins.\n`,
  );
}

function wayTable(ways: readonly Large[], unit: string): string {
  const best = (ways[0] as Large).latency;
  return tableText(
    ["way", "ratio", unit, "algorithm"],
    ways.map((way, i) => [
      i === 0 ? `${nameOf(way)} (best)` : nameOf(way),
      best === 0 ? "-" : ratioText(way.latency / best),
      amountText(way.latency),
      reasonOf(way),
    ]),
    [0, 3],
  );
}

const nameOf = ({ algorithm, cap }: Large): string => (cap === undefined ? algorithm : `${algorithm} ${cap}`);

function reasonOf({ algorithm, cap, trees }: Large): string {
  switch (algorithm) {
    case "flat":
      return "all read the root's memory at once, after one small broadcast";
    case "scatter":
      return "each PE combines a part and reads the others' parts";
    case "two-tree":
      return "half of the messages on each of two trees: no PE has children in both";
    case "capped":
      return `one after another down a tree of at most ${countText(cap ?? 0, "child", "children")}`;
    default: {
      const most = Math.max(
        0,
        ...trees.flatMap((tree) => Object.values(tree.children).map((list) => list.length)),
      );
      return `one after another down the best tree for a single one, limited by the PE with ${countText(most, "child", "children")}`;
    }
  }
}

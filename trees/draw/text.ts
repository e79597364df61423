/**
 * A tree drawn as text for a terminal: one line per PE, children in send order below their parent,
 * the time of each at the right.
 *
 *     PE       informed at, cycles
 *     13                         0
 *     ├─ 4                   797.7
 *     │  └─ 9               1081.9
 *     └─ 19                  402.5
 */
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import type { Operation, Tree } from "../model/tree.ts";
import { schedule, timeTitle } from "./schedule.ts";

/**
 * Draws a tree as text; lines end in "\n".
 *
 * @throws UsageError unless `tree` is a tree over PEs of the model
 */
export function treeText(tree: Tree, machine: MachineModel, operation: Operation = "broadcast"): string {
  const title = timeTitle(machine, operation);
  // the prefix of the children of each level, filled from the root down
  const margins = [""];
  const lines = schedule(tree, machine, operation).map((row) => {
    const { pe, level, isLast, at } = row;
    if (level === 0) return { label: String(pe), time: at.toFixed(1) };
    const margin = margins[level - 1] as string;
    margins[level] = `${margin}${isLast ? "   " : "│  "}`;
    return { label: `${margin}${isLast ? "└─ " : "├─ "}${pe}`, time: at.toFixed(1) };
  });
  lines.unshift({ label: "PE", time: title });
  const labelWidth = Math.max(...lines.map(({ label }) => label.length));
  const timeWidth = Math.max(...lines.map(({ time }) => time.length));
  return lines.map(({ label, time }) => `${label.padEnd(labelWidth)}  ${time.padStart(timeWidth)}\n`).join("");
}

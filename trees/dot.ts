/**
 * A tree in Graphviz' DOT language: PEs with their times, edges numbered in send order, one fill
 * colour per domain. Draw it with `dot -Tsvg`.
 */
import type { MachineModel } from "../src/machine/types.ts";
import { domainColour } from "./colours.ts";
import { schedule, timeText, timeTitle } from "./schedule.ts";
import type { Operation, Tree } from "./types.ts";

/**
 * Writes a tree as a DOT digraph; edges point the way the messages go.
 *
 * @throws UsageError when `tree` is no tree over PEs of the model
 */
export function treeDot(tree: Tree, machine: MachineModel, operation: Operation = "broadcast"): string {
  const rows = schedule(tree, machine, operation);
  const title = `${operation} on ${machine.name}: ${tree.algorithm}, PE and ${timeTitle(machine, operation)}`;
  const lines = [
    `digraph ${quoted(operation)} {`,
    `  label=${quoted(title)};`,
    '  node [shape=box, style="rounded,filled", fontname="sans-serif"];',
    '  edge [fontname="sans-serif", fontsize=10];',
  ];
  for (const { pe, at, domains } of rows) {
    lines.push(
      `  ${pe} [label="${pe}\\n${timeText(at)}", fillcolor="${domainColour(domains[0] as number)}"];`,
    );
  }
  for (const { pe, parent, place } of rows) {
    if (parent === null) continue;
    const [from, to] = operation === "broadcast" ? [parent, pe] : [pe, parent];
    lines.push(`  ${from} -> ${to} [label="${place}"];`);
  }
  return `${lines.join("\n")}\n}\n`;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", " ")}"`;
}

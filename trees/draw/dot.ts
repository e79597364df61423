/**
 * Trees and barriers in Graphviz' DOT language: PEs with their times and domains, edges numbered in send order,
 * one fill colour per domain. Draw it with `dot -Tsvg`, or a barrier with `circo -Tsvg`.
 */
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import type { Barrier, Operation, Tree } from "../model/tree.ts";
import { barrierSchedule } from "./barrier-schedule.ts";
import type { Lane } from "./chart.ts";
import { domainColour } from "./colours.ts";
import { printable } from "./printable.ts";
import { schedule, timeText, timeTitle } from "./schedule.ts";

/**
 * Writes a tree as a DOT digraph; edges point in the direction of the messages.
 *
 * @throws UsageError unless `tree` is a tree over PEs of the model
 */
export function treeDot(tree: Tree, machine: MachineModel, operation: Operation = "broadcast"): string {
  const rows = schedule(tree, machine, operation);
  const title = `${operation} on ${machine.name}: ${tree.algorithm}, PE, ${timeTitle(machine, operation)}, domains`;
  const edges = rows.flatMap(({ pe, parent, place }) => {
    if (parent === null) return [];
    return operation === "broadcast" ? edge(parent, pe, place) : edge(pe, parent, place);
  });
  return digraph(operation, title, rows, edges);
}

/**
 * Writes a barrier as a DOT digraph: all its messages, numbered for each sender.
 *
 * @throws UsageError unless it is a barrier over PEs of the model
 */
export function barrierDot(barrier: Barrier, machine: MachineModel): string {
  const rows = barrierSchedule(barrier, machine);
  const title = `barrier on ${machine.name}: ${barrier.kind}, PE, leaves at, ${machine.unit}, domains`;
  const edges = rows.flatMap(({ pe, sends }) => sends.map(({ to }, i) => edge(pe, to, i + 1)));
  return digraph("barrier", title, rows, edges);
}

function digraph(name: string, title: string, lanes: readonly Lane[], edges: readonly string[]): string {
  const nodes = lanes.map(({ pe, at, domains }) => {
    const label = `${pe}\\n${timeText(at)}\\n[${domains.join(" ")}]`;
    return `  ${pe} [label="${label}", fillcolor="${domainColour(domains[0] as number)}"];`;
  });
  const lines = [
    `digraph ${quoted(name)} {`,
    `  label=${quoted(title)};`,
    '  node [shape=box, style="rounded,filled", fontname="sans-serif"];',
    '  edge [fontname="sans-serif", fontsize=10];',
    ...nodes,
    ...edges,
  ];
  return `${lines.join("\n")}\n}\n`;
}

function edge(from: number, to: number, place: number): string {
  return `  ${from} -> ${to} [label="${place}"];`;
}

function quoted(text: string): string {
  return `"${printable(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

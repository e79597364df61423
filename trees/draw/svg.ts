/**
 * Trees and barriers drawn as SVG. A tree: an outline of the tree and its messages over time, one row per PE
 * (chart.ts). Levels are the indentation, the order of sends is the order of rows from top to bottom, and times are to
 * scale. A barrier: all its messages from the first to the last, PEs in the order of its broadcast trees or of its
 * dissemination.
 */
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import type { Barrier, Operation, Tree } from "../model/tree.ts";
import { barrierSchedule } from "./barrier-schedule.ts";
import { chart } from "./chart.ts";
import { schedule, timeText, timeTitle } from "./schedule.ts";

/**
 * Draws a tree as an SVG document.
 *
 * @throws UsageError unless `tree` is a tree over PEs of the model
 */
export function treeSvg(tree: Tree, machine: MachineModel, operation: Operation = "broadcast"): string {
  const rows = schedule(tree, machine, operation);
  const levels = Math.max(...rows.map((row) => row.level));
  const latency = Math.max(...rows.map((row) => row.at));
  return chart(rows, {
    title: `${operation} on ${machine.name}`,
    subtitle: `${tree.algorithm}, ${rows.length} PEs, ${levels} levels, ${timeText(latency)} ${machine.unit}`,
    time: timeTitle(machine, operation),
    dot: operation === "broadcast" ? "has the message" : "has all values from below",
  });
}

/**
 * Draws a barrier as an SVG document.
 *
 * @throws UsageError unless it is a barrier over PEs of the model
 */
export function barrierSvg(barrier: Barrier, machine: MachineModel): string {
  const rows = barrierSchedule(barrier, machine);
  return chart(rows, {
    title: `barrier on ${machine.name}`,
    subtitle: `${barrier.kind}, ${rows.length} PEs, ${timeText(barrier.latency)} ${machine.unit}`,
    time: `leaves at, ${machine.unit}`,
    dot: "leaves the barrier",
  });
}

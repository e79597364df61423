/** The drawings for users: a tree or a barrier, as SVG (svg.ts) or in Graphviz' language (dot.ts). */
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import type { Barrier, Operation, Tree } from "../model/tree.ts";
import { barrierDot, treeDot } from "./dot.ts";
import { barrierSvg, treeSvg } from "./svg.ts";

/**
 * Draws a tree or a barrier as an SVG document: all messages over time.
 *
 * @param operation the use of a tree; a barrier has both
 * @throws UsageError unless `drawn` is a tree or barrier over PEs of the model; ModelError for an invalid model
 */
export function toSvg(drawn: Tree | Barrier, machine: MachineModel, operation: Operation = "broadcast"): string {
  return isBarrier(drawn) ? barrierSvg(drawn, machine) : treeSvg(drawn, machine, operation);
}

/**
 * Writes a tree or a barrier in Graphviz' DOT language.
 *
 * @param operation the use of a tree; a barrier has both
 * @throws as {@link toSvg}
 */
export function toDot(drawn: Tree | Barrier, machine: MachineModel, operation: Operation = "broadcast"): string {
  return isBarrier(drawn) ? barrierDot(drawn, machine) : treeDot(drawn, machine, operation);
}

function isBarrier(drawn: Tree | Barrier): drawn is Barrier {
  return typeof drawn === "object" && drawn !== null && "kind" in drawn;
}

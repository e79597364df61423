/** The result of `bench crossovers` as tables. */

import type { Choosable } from "../../../../../src/collectives/calls/decide.ts";
import { amountText, countText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import type { CrossoverPoint, CrossoversBench } from "../../collectives/crossovers.ts";
import { probeText } from "./bench-text.ts";

const PLACES = { alloc: "arrays from pe.alloc", private: "private arrays" } as const;

/** Prints a table for each call and kind of memory, then the crossovers. */
export function printCrossovers(bench: CrossoversBench, output: CommandOutput): void {
  const { points, crossovers, byMemory, cpus } = bench;
  const groups = new Map<string, CrossoverPoint[]>();
  for (const point of points) {
    const title = `${point.call}, ${PLACES[point.memory]}, ${countText(cpus.length, "PE")}`;
    groups.set(title, [...(groups.get(title) ?? []), point]);
  }
  for (const [title, group] of groups) output.section(title, pointTable(group));
  const calls = Object.keys(crossovers) as Choosable[];
  output.section(
    "Largest size for which the short algorithm is faster, bytes",
    tableText(
      ["call", "all", PLACES.alloc, PLACES.private],
      calls.map((call) => [
        call,
        ...[crossovers, byMemory.alloc, byMemory.private].map((bounds) => String(bounds[call])),
      ]),
    ),
  );
  output.print(probeText(bench));
}

/** The time of the fastest algorithm, and each algorithm's time relative to it. */
function pointTable(points: readonly CrossoverPoint[]): string {
  const names = points[0].times.map(({ algorithm }) => algorithm);
  return tableText(
    ["bytes", ...names, "fastest, ns"],
    points.map(({ bytes, times }) => {
      const best = Math.min(...times.map(({ ns }) => ns));
      return [String(bytes), ...times.map(({ ns }) => ratioText(ns / best)), amountText(best)];
    }),
    [],
  );
}

/** The result of `bench conveyors` as text and tables: the targets first, then everything. */

import type { ConveyorMeasured, ConveyorsBench } from "../../../bench/conveyors/bench-conveyors.ts";
import { amountText, countText, ratioText } from "../../base/units.ts";
import { cpusText } from "../../machine/cpus.ts";
import type { Output } from "../terminal/output.ts";
import { probeText, targetTable } from "./bench-text.ts";
import { tableText } from "./table.ts";

/** The program that others are compared with. */
const OURS = "tundish, item-wise";

/** Prints targets, measurements, missing programs, and the reliability. */
export function printConveyors(bench: ConveyorsBench, output: Output): void {
  const { cpus, measured, references, missing } = bench;
  output.section(
    `Targets, ${countText(cpus.length, "PE")} and more on ${cpusText(cpus)}, ns per item of each PE`,
    targetTable(bench.targets),
  );
  output.section("Everything measured, each PE", measuredTable(measured));
  for (const { name, reason } of missing) output.print(`not measured: ${name} (${reason})`);
  const names = [...new Set(references.map(({ name }) => name))].join(", ");
  output.print(`Not measured here, but on another machine with 2 CPUs: ${names}.`);
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  if (cpus.length !== 2) output.print("The targets were set for 2 CPUs.");
  output.print(probeText(bench));
}

/** By work, the fastest first, with the ratio of its rate to that of our item-wise loop. */
function measuredTable(measured: readonly ConveyorMeasured[]): string {
  const works = [...new Set(measured.map(({ what }) => what))];
  const rows = works.flatMap((work) =>
    measured.filter(({ what }) => what === work).sort((a, b) => a.ns - b.ns),
  );
  return tableText(
    ["rate", "what", "who", "MB/s", "quartiles", "million items/s", "ns per item", "batches"],
    rows.map((row) => {
      const { what, name, ns, low, high, megabytesPerSecond, itemsPerSecond, batch, batches } = row;
      const own = measured.find((one) => one.what === what && one.name === OURS);
      const rate = (time: number) => amountText((megabytesPerSecond * ns) / time);
      return [
        own ? ratioText(own.ns / ns) : "-",
        what,
        name,
        rate(ns),
        `${rate(high)} to ${rate(low)}`,
        amountText(itemsPerSecond / 1e6),
        amountText(ns),
        `${batches} of ${batch}`,
      ];
    }),
    [1, 2],
  );
}

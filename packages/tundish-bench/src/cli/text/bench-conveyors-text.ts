/** The result of `bench conveyors` as text and tables: the targets first, then everything. */

import { amountText, countText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../src/machine/model/cpus.ts";
import type { ConveyorMeasured, ConveyorsBench } from "../../conveyors/bench-conveyors.ts";
import { DIRECT } from "../../conveyors/targets.ts";
import { modesIn, modeText, probeText, targetTable } from "./bench-text.ts";

/** Prints targets, measurements, missing programs, and the reliability. */
export function printConveyors(bench: ConveyorsBench, output: CommandOutput): void {
  const { cpus, measured, missing } = bench;
  output.section(
    `Targets, ${countText(cpus.length, "PE")} and more on ${cpusText(cpus)}, ns per item of each PE`,
    targetTable(bench.targets),
  );
  output.section("Everything measured, each PE", measuredTable(measured));
  for (const { name, reason } of missing) output.print(`not measured: ${name} (${reason})`);
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  if (cpus.length !== 2) output.print("The targets were set for 2 CPUs.");
  output.print(
    "A mode is the round trip of a cache line between the CPUs; only figures of the same mode are compared.",
  );
  output.print(probeText(bench));
}

/** By work and mode, the fastest first, with the ratio of its time to that of the C program. */
function measuredTable(measured: readonly ConveyorMeasured[]): string {
  const works = [...new Set(measured.map(({ what }) => what))];
  const rows = works.flatMap((work) => {
    const all = measured.filter(({ what }) => what === work);
    return modesIn(all).flatMap((mode) => all.filter((one) => one.mode === mode).sort((a, b) => a.ns - b.ns));
  });
  return tableText(
    ["to C", "mode", "what", "who", "ns per item", "quartiles", "million items/s", "MB/s", "batches"],
    rows.map((row) => {
      const { what, mode, name, ns, low, high, megabytesPerSecond, itemsPerSecond, batch, batches } = row;
      const isSame = (one: ConveyorMeasured) => one.what === what && one.mode === mode && mode !== null;
      const direct = measured.find((one) => one.name === DIRECT && isSame(one));
      return [
        direct ? ratioText(ns / direct.ns) : "-",
        modeText(mode),
        what,
        name,
        amountText(ns),
        `${amountText(low)} to ${amountText(high)}`,
        amountText(itemsPerSecond / 1e6),
        amountText(megabytesPerSecond),
        `${batches} of ${batch}`,
      ];
    }),
    [2, 3],
  );
}

/** The results of `bench shared` as text. */
import type { Measured } from "../../../../../microbench/pairs/profiled.ts";
import { amountText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../src/machine/model/cpus.ts";
import { MAP, type SharedBench } from "../../shared/bench-shared.ts";
import { modesIn, modeText, probeText } from "./bench-text.ts";

/** Prints a line for each work and who does it, then the memory of maps. */
export function printShared(bench: SharedBench, output: CommandOutput): void {
  output.section(`Shared data on ${cpusText(bench.cpus)}, all PEs together`, speedTable(bench.measured));
  output.section(
    "Memory for each entry, bytes",
    tableText(
      ["who", "bytes"],
      bench.memory.map(({ name, bytes }) => [name, amountText(bytes)]),
      [0],
    ),
  );
  for (const { name, reason } of bench.missing) output.print(`${name}: ${reason}`);
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  output.print(probeText(bench));
}

/** What others are compared with: one thread's Map, a spinlock in C. */
const isReference = ({ name }: Measured): boolean => name === MAP || name === "C, two atomics";

function speedTable(measured: readonly Measured[]): string {
  const works = [...new Set(measured.map(({ what }) => what))];
  const rows = works.flatMap((work) =>
    modesIn(measured.filter(({ what }) => what === work)).flatMap((mode) =>
      measured.filter((one) => one.what === work && one.mode === mode),
    ),
  );
  return tableText(
    ["faster", "mode", "what", "who", "ns", "quartiles"],
    rows.map((one) => {
      const reference = measured.find(
        (other) => other.what === one.what && other.mode === one.mode && isReference(other),
      );
      const ratio = reference === undefined || reference === one ? "-" : ratioText(reference.ns / one.ns);
      const spread = `${amountText(one.low)} to ${amountText(one.high)}`;
      return [ratio, modeText(one.mode), one.what, one.name, amountText(one.ns), spread];
    }),
    [2, 3],
  );
}

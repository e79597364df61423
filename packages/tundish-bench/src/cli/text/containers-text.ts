/** The results of `bench containers` as text. */

import type { Measured } from "../../../../../microbench/pairs/profiled.ts";
import { amountText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../src/machine/model/cpus.ts";
import type { ContainersBench } from "../../containers/bench-containers.ts";
import { RIVALS, type WorkName } from "../../containers/works.ts";
import { ALONE, aloneOf } from "../../programs/bench-programs.ts";
import { modesIn, modeText, probeText } from "./bench-text.ts";

/** Prints a line for each work, number of PEs and mode beside one thread, then the memory for each entry. */
export function printContainers(bench: ContainersBench, output: CommandOutput): void {
  output.section(
    `Containers on ${cpusText(bench.cpus)}, beside one thread in plain JavaScript, all PEs together`,
    speedTable(bench),
  );
  output.section(
    "Memory for each entry, bytes",
    tableText(
      ["what", "who", "bytes"],
      bench.memory.map(({ name, what, bytes }) => [what, whoText(name, what), amountText(bytes)]),
      [0, 1],
    ),
  );
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  output.print(probeText(bench));
}

/** One thread with what it uses. */
function whoText(name: string, what: string): string {
  if (name !== ALONE) return name;
  const work = Object.keys(RIVALS).find((one) => what.startsWith(one)) as WorkName;
  return `${ALONE}, ${RIVALS[work]}`;
}

function speedTable({ measured }: ContainersBench): string {
  const works = [...new Set(measured.map(({ what }) => what))];
  const rows = works.flatMap((work) => {
    const alone = aloneOf(measured, work);
    const ours = measured.filter(({ name, what }) => name !== ALONE && what === work);
    const inModes = modesIn(ours).flatMap((mode) => ours.filter((one) => one.mode === mode));
    return alone === undefined ? inModes : [alone, ...inModes];
  });
  return tableText(
    ["faster", "mode", "what", "who", "million items/s", "ns per item", "quartiles"],
    rows.map((one) => {
      const alone = aloneOf(measured, one.what);
      const ratio = alone === undefined || one.name === ALONE ? "-" : ratioText(alone.ns / one.ns);
      return [
        ratio,
        modeText(one.mode),
        one.what,
        whoText(one.name, one.what),
        amountText(1e3 / one.ns),
        amountText(one.ns),
        spread(one),
      ];
    }),
    [2, 3],
  );
}

const spread = ({ low, high }: Measured): string => `${amountText(low)} to ${amountText(high)}`;

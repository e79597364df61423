/** The results of `bench programs` as text. */

import { TOGETHER } from "../../../../../microbench/launch/starts.ts";
import type { Measured } from "../../../../../microbench/pairs/profiled.ts";
import { amountText, countText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../src/machine/model/cpus.ts";
import { aloneOf, BY_CONVEYOR, otherOf, POOL } from "../../programs/bench-programs.ts";
import type { PartBench } from "../../turns/part.ts";
import { modesIn, modeText, probeText } from "./bench-text.ts";

/** Prints a line for each program, run and mode, then the launch. */
export function printPrograms(bench: PartBench, output: CommandOutput): void {
  const { cpus, measured } = bench;
  const place = `${countText(cpus.length, "PE")} on ${cpusText(cpus)}`;
  output.section(
    `Programs, ${place}, beside one thread in plain JavaScript, a pool of piscina, and conveyors, ms`,
    programTable(bench),
  );
  const others = measured.filter(({ what }) => what.startsWith("launch"));
  output.section(
    "Launching PEs that return at once, ms",
    tableText(
      ["mode", "what", "median", "quartiles"],
      others.map((one) => [modeText(one.mode), one.what, text(one.ns), spread(one)]),
      [1],
    ),
  );
  for (const { name, reason } of bench.missing) output.print(`not measured: ${name} (${reason})`);
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  if (cpus.length !== 2) output.print("The targets were set for 2 CPUs.");
  output.print(probeText(bench));
}

const text = (ns: number): string => amountText(ns / 1e6);
/** Its median and quartiles; nothing of what was not measured. */
const figures = (one: Measured | undefined): string[] => (one ? [text(one.ns), spread(one)] : ["-", "-"]);
const spread = ({ low, high }: Measured): string => `${text(low)} to ${text(high)}`;

function programTable({ measured, targets }: PartBench): string {
  const ours = measured.filter(({ name, what }) => name === TOGETHER && !what.startsWith("launch"));
  const rows = modesIn(ours).flatMap((mode) => ours.filter((one) => one.mode === mode));
  return tableText(
    [
      ...["faster", "", "mode", "program", "all PEs", "quartiles", "one thread", "quartiles", "piscina", "quartiles"],
      ...["by conveyors", "quartiles"],
    ],
    rows.map((one) => {
      const alone = aloneOf(measured, one.what);
      const other = (way: string) => figures(otherOf(way, measured, one.what, one.mode));
      const target = targets.find(({ target, mode }) => target.what === one.what && mode === one.mode);
      const verdict = target?.reached != null ? `${target.verdict} (${target.target.bound})` : "";
      return [
        alone ? ratioText(alone.ns / one.ns) : "-",
        verdict,
        modeText(one.mode),
        one.what,
        text(one.ns),
        spread(one),
        ...figures(alone),
        ...other(POOL),
        ...other(BY_CONVEYOR),
      ];
    }),
    [1, 3],
  );
}

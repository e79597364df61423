/** The results of `bench conveyors --mixed` and `--cold` as text: the targets first, then everything. */

import { amountText, countText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../src/machine/model/cpus.ts";
import { ALONE, aloneAt, type ColdBench, OWN } from "../../conveyors/bench-cold.ts";
import { FIRST, nthSession, SPENT } from "../../conveyors/cold-jobs.ts";
import type { PartBench } from "../../turns/part.ts";
import { modesIn, modeText, plainTable, probeText, targetTable } from "./bench-text.ts";

/** Several types of items in one process, beside each alone. */
export function printMixed(bench: PartBench, output: CommandOutput): void {
  printTargets(bench, "ns per item of each PE", output);
  output.section("Everything measured", plainTable(bench.measured, "ns per item"));
  printRest(bench, output);
}

/** Fresh processes. */
export function printCold(bench: ColdBench, output: CommandOutput): void {
  const { measured, breakEven } = bench;
  printTargets(bench, "ns", output);
  output.section(
    "The first sessions of a process, 8 B, ns per item, and their ratio to warm ones",
    sessionTable(bench),
  );
  output.print(
    `${OWN}: the same loops without any conveyor, all PEs at once, each with its items in memory of its own. V8 takes so long ` +
      "to get the program's own code going, whatever library it calls.",
  );
  const spent = spentTable(bench);
  if (spent !== null) output.section("What the CPUs do in the first sessions, for each item of a PE, ns", spent);
  const [tallies, others] = [true, false].map((isTally) =>
    measured.filter(
      ({ what }) => what.startsWith("tally") === isTally && !/^(\d+(st|nd|rd|th)|warm) session/.test(what),
    ),
  );
  output.section("Conveyors made anew, ns per item, and empty sessions, ns", plainTable(others, "ns"));
  output.section("Random keys counted in 2^22 counters, by all PEs and by one alone, ns per key", tallyTable(tallies));
  for (const { state, mode, items } of breakEven) {
    const from = items === null ? "for none of these numbers of keys" : `from about ${items} keys on`;
    output.print(`All PEs are faster than one PE with a plain loop ${from} (${state}, ${modeText(mode)}).`);
  }
  printRest(bench, output);
}

function printTargets({ cpus, targets }: PartBench, unit: string, output: CommandOutput): void {
  output.section(`Targets, ${countText(cpus.length, "PE")} on ${cpusText(cpus)}, ${unit}`, targetTable(targets));
}

function printRest(bench: PartBench, output: CommandOutput): void {
  for (const { name, reason } of bench.missing) output.print(`not measured: ${name} (${reason})`);
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  if (bench.cpus.length !== 2) output.print("The targets were set for 2 CPUs.");
  output.print(probeText(bench));
}

const SESSIONS = FIRST.map(nthSession);

function sessionTable({ measured }: PartBench): string {
  const warm = measured.filter(({ what }) => what === "warm session");
  return tableText(
    ["mode", "who", ...SESSIONS, "warm"],
    warm.map(({ name, mode, ns }) => [
      modeText(mode),
      name,
      ...SESSIONS.map((session) => {
        const one = measured.find((other) => other.what === session && other.name === name && other.mode === mode);
        return one ? `${amountText(one.ns)} (${ratioText(one.ns / ns)})` : "-";
      }),
      amountText(ns),
    ]),
    [1],
  );
}

/** Null where the kernel keeps no account. */
function spentTable({ measured }: PartBench): string | null {
  const sessions = measured.filter(({ what }) => SESSIONS.includes(what));
  const rows = sessions.flatMap(({ name, mode, what, ns }) => {
    const parts = Object.values(SPENT).map((part) =>
      measured.find((one) => one.what === `${what}, ${part}` && one.name === name && one.mode === mode),
    );
    if (parts.every((part) => part === undefined)) return [];
    return [[modeText(mode), name, what, amountText(ns), ...parts.map((part) => (part ? amountText(part.ns) : "-"))]];
  });
  return rows.length === 0 ? null : tableText(["mode", "who", "what", "time", ...Object.values(SPENT)], rows, [1, 2]);
}

/** All PEs beside one alone, to whom the distance of the CPUs does not matter. */
function tallyTable(measured: ColdBench["measured"]): string {
  const ours = measured.filter(({ name }) => name !== ALONE);
  const rows = modesIn(ours).flatMap((mode) => ours.filter((one) => one.mode === mode));
  return tableText(
    ["faster", "mode", "what", "all PEs", "one PE"],
    rows.map(({ mode, what, ns }) => {
      const alone = aloneAt(measured, what);
      const ratio = alone ? ratioText(alone.ns / ns) : "-";
      return [ratio, modeText(mode), what, amountText(ns), alone ? amountText(alone.ns) : "-"];
    }),
    [2],
  );
}

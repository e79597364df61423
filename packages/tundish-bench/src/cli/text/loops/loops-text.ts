/** The results of `bench loops` as text. */
import type { Measured } from "../../../../../../microbench/pairs/profiled.ts";
import { amountText, ratioText } from "../../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../../src/machine/model/cpus.ts";
import type { LoopsBench } from "../../../loops/bench-loops.ts";
import { ALONE, QUADRATURE, SYNC, WORK_ALONE } from "../../../loops/job.ts";
import { type LoopPart, OURS, RUNTIMES, withPes } from "../../../loops/names.ts";
import { modeText, probeText } from "../bench-text.ts";
import { outsideTable } from "./outside-text.ts";
import { targetsTable, unevenTable } from "./uneven-text.ts";

const NAMES = [OURS, ...Object.keys(RUNTIMES)];

/** The parts, each with its head and its table. */
const SECTIONS: Readonly<Record<LoopPart, (bench: LoopsBench) => readonly [head: string, table: string]>> = {
  schedules: (bench) => [
    `Schedules on ${cpusText(bench.cpus)}: ns for an iteration of a PE, above those of one thread without a loop of the library`,
    overheadTable(bench, isScheduled, ALONE, "schedule, chunk"),
  ],
  synchronisation: (bench) => [
    `Synchronisation on ${cpusText(bench.cpus)}: ns for a construct`,
    overheadTable(bench, isSync, WORK_ALONE, "construct"),
  ],
  tasks: (bench) => ["Tasks, beside one thread", tasksTable(bench)],
  uneven: (bench) => [
    `Uneven work of 2 PEs on ${cpusText(bench.cpus)}: ms; steal and auto above the best schedule`,
    unevenTable(bench),
  ],
  outside: (bench) => [
    `Uneven work from a main thread, by 2 threads on ${cpusText(bench.cpus)}: ms`,
    outsideTable(bench),
  ],
};

/** Prints each part that was measured. */
export function printLoops(bench: LoopsBench, output: CommandOutput): void {
  for (const part of bench.parts) output.section(...SECTIONS[part](bench));
  if (bench.targets.length > 0) output.section("Targets of uneven work", targetsTable(bench));
  for (const { name, reason } of bench.missing) output.print(`not measured: ${name} (${reason})`);
  const known = Object.entries(bench.versions);
  if (known.length > 0) output.print(`Versions: ${known.map((entry) => entry.join(" ")).join("; ")}.`);
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  output.print(probeText(bench));
}

/** As `task`, `steal` or `dynamic, 8`. */
const isScheduled = (what: string): boolean => /^(task|static|steal|auto|\w+, \d+)$/.test(what);
const isSync = (what: string): boolean => (SYNC as readonly string[]).includes(what);
const pesIn = (name: string): number => Number(/, (\d+) PE/.exec(name)?.[1] ?? 1);

/** Rows of what is `isWanted`: what each takes above `alone`, which one thread does. */
function overheadTable(
  { measured, cpus }: LoopsBench,
  isWanted: (what: string) => boolean,
  alone: string,
  head: string,
): string {
  /** null where it was not measured in this mode */
  const overheadOf = (who: string, what: string, mode: Measured["mode"]): number | null => {
    const ofThem = measured.filter(({ name }) => name === who);
    const one = ofThem.find((it) => it.what === what && it.mode === mode);
    const without = ofThem.filter((it) => it.what === alone);
    const least = without.find((it) => it.mode === mode) ?? without[0];
    if (one === undefined || least === undefined) return null;
    return one.ns - least.ns * Math.max(1, pesIn(who) / cpus.length);
  };
  const wanted = measured.filter(({ what }) => isWanted(what));
  const cases = new Map(wanted.map((one) => [`${pesIn(one.name)} ${one.mode} ${one.what}`, one]));
  const rows = [...cases.values()].map(({ name, what, mode }) => {
    const pes = pesIn(name);
    const all = NAMES.map((who) => overheadOf(withPes(who, pes), what, mode));
    return [String(pes), modeText(mode), what, ...all.map((ns) => (ns === null ? "-" : amountText(ns)))];
  });
  return tableText(["PEs", "mode", head, ...NAMES], rows, [2]);
}

function tasksTable({ measured }: LoopsBench): string {
  const all = measured.filter(({ what }) => what.startsWith(`${QUADRATURE},`));
  const rows = all.map(({ name, what, mode, ns }) => {
    const isAlone = (one: Measured) => one.what === `${QUADRATURE}, ${ALONE}`;
    // a program of C has its own
    const alone = all.find((one) => isAlone(one) && one.name === name) ?? all.find(isAlone);
    const ratio = alone === undefined || what.endsWith(ALONE) ? "-" : ratioText(alone.ns / ns);
    return [ratio, modeText(mode), what, name, amountText(ns / 1e6)];
  });
  return tableText(["faster", "mode", "work", "who", "ms"], rows, [2, 3]);
}

/** The results of `bench loops` as text. */
import type { Measured } from "../../../../../microbench/pairs/profiled.ts";
import { amountText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../src/machine/model/cpus.ts";
import { type LoopsBench, OURS, RUNTIMES, withPes } from "../../loops/bench-loops.ts";
import { ALONE, QUADRATURE, SYNC } from "../../loops/job.ts";
import { UNEVEN_NAMES } from "../../loops/works.ts";
import { modeText, probeText } from "./bench-text.ts";

const NAMES = [OURS, ...Object.keys(RUNTIMES)];

/** Prints the overhead of the schedules, then uneven work beside one thread. */
export function printLoops(bench: LoopsBench, output: CommandOutput): void {
  const { cpus, missing, versions } = bench;
  output.section(
    `Schedules on ${cpusText(cpus)}: ns for an iteration of a PE, above those of one thread without a loop of the library`,
    overheadTable(bench, (what) => !isSync(what), "schedule, chunk"),
  );
  output.section("Synchronisation: ns for a construct", overheadTable(bench, isSync, "construct"));
  output.section("Uneven work, beside one thread", unevenTable(bench));
  for (const { name, reason } of missing) output.print(`not measured: ${name} (${reason})`);
  const known = Object.entries(versions);
  if (known.length > 0) output.print(`Versions: ${known.map((entry) => entry.join(" ")).join("; ")}.`);
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  output.print(probeText(bench));
}

const isSync = (what: string): boolean => (SYNC as readonly string[]).includes(what);
const isUneven = (what: string): boolean => [...UNEVEN_NAMES, QUADRATURE].some((name) => what.startsWith(`${name},`));
const pesIn = (name: string): number => Number(/, (\d+) PE/.exec(name)?.[1] ?? 1);

/** What an iteration takes above those of one thread; null where it was not measured in this mode. */
function overheadOf(bench: LoopsBench, who: string, what: string, mode: Measured["mode"]): number | null {
  const found = (wanted: string) =>
    bench.measured.find((one) => one.name === who && one.what === wanted && one.mode === mode) ??
    (wanted === ALONE ? bench.measured.find((one) => one.name === who && one.what === wanted) : undefined);
  const [one, alone] = [found(what), found(ALONE)];
  if (one === undefined || alone === undefined) return null;
  return one.ns - alone.ns * Math.max(1, pesIn(who) / bench.cpus.length);
}

function overheadTable(bench: LoopsBench, isWanted: (what: string) => boolean, head: string): string {
  const even = bench.measured.filter(({ what }) => isWanted(what) && !isUneven(what) && what !== ALONE);
  const cases = new Map(even.map((one) => [`${pesIn(one.name)} ${one.mode} ${one.what}`, one]));
  const rows = [...cases.values()].map(({ name, what, mode }) => {
    const pes = pesIn(name);
    const all = NAMES.map((who) => overheadOf(bench, withPes(who, pes), what, mode));
    return [String(pes), modeText(mode), what, ...all.map((ns) => (ns === null ? "-" : amountText(ns)))];
  });
  return tableText(["PEs", "mode", head, ...NAMES], rows, [2]);
}

function unevenTable({ measured }: LoopsBench): string {
  const rows = measured
    .filter(({ what }) => isUneven(what))
    .map(({ name, what, mode, ns }) => {
      const work = what.slice(0, what.lastIndexOf(","));
      const isAlone = (one: Measured) => one.what === `${work}, ${ALONE}`;
      // a program of C has its own
      const alone = measured.find((one) => isAlone(one) && one.name === name) ?? measured.find(isAlone);
      const ratio = alone === undefined || what.endsWith(ALONE) ? "-" : ratioText(alone.ns / ns);
      return [ratio, modeText(mode), what, name, amountText(ns / 1e6)];
    });
  return tableText(["faster", "mode", "work, schedule", "who", "ms"], rows, [2, 3]);
}

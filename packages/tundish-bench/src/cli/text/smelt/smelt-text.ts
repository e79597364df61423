/** The result of `bench smelt` as text, part by part. */

import { escaped } from "../../../../../../src/ground/base/short-text.ts";
import { amountText, countText, durationText } from "../../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../../src/machine/model/cpus.ts";
import type { SmeltBench } from "../../../smelt/bench-smelt.ts";
import { EPCC, LOOP, type SmeltBarriers } from "../../../smelt/smelt-barriers.ts";
import type { MeasuredRivals, RivalFigure } from "../../../smelt/smelt-rivals.ts";
import type { SmeltStreamcluster } from "../../../smelt/smelt-streamcluster.ts";
import type { MeasuredTrees } from "../../../smelt/smelt-trees.ts";
import type { TreesTable } from "../../../smelt/tree-tables.ts";
import { fasterText } from "../bench-mpi-text.ts";
import { probeText } from "../bench-text.ts";
import { agreementText } from "./smelt-agreement-text.ts";
import { algorithmsText, completedText, groupsText, nameOf, rankingsText, speedupsText } from "./smelt-trees-text.ts";

const OURS = "tundish";

/** Prints the parts that there are. */
export function printSmelt(bench: SmeltBench, output: CommandOutput): void {
  const { trees, simulated, groups, collectives, barriers, streamcluster, agreement, missing } = bench;
  if (trees) printTrees(trees, output);
  if (simulated && simulated.length > 0) {
    output.section(
      "Simulated: time of the best static tree by that of ours, and of Smelt's, last leaf (figure 9)",
      speedupsText(simulated),
    );
    output.section(
      "Simulated: the same until the last PE has completed, without the leaf's message",
      completedText(simulated),
    );
  }
  if (groups) printGroups(groups, output);
  if (collectives) printCollectives(collectives, output);
  if (barriers) printBarriers(barriers, output);
  if (streamcluster) printStreamcluster(streamcluster, output);
  if (agreement) printAgreement(agreement, output);
  for (const { name, reason } of missing) output.print(`not run: ${name} (${reason})`);
}

function printTrees(trees: MeasuredTrees, output: CommandOutput): void {
  for (const table of trees.tables) {
    output.section(
      `Trees, ${countText(table.pes, "PE")}: time of each by that of ours, until the last leaf's message (figure 8)`,
      algorithmsText(table),
    );
    output.section(
      "Time of the best static tree by that of ours and of the contest's choice, and the orders",
      rankingsText(table),
    );
  }
  const [first] = trees.tables;
  const hint = first?.model.startsWith("guessed") ? " Measure it with: tundish profile" : "";
  if (first) output.print(`Predicted by the model of ${nameOf(first)}, ${escaped(first.model)}.${hint}`);
  printPlace(trees, output);
}

function printGroups(groups: NonNullable<SmeltBench["groups"]>, output: CommandOutput): void {
  output.section("Groups: time of the best static tree by that of ours (figure 10)", groupsText(groups.tables));
  printPlace(groups, output);
  const machines = new Map<string, TreesTable[]>();
  for (const table of groups.simulated) {
    machines.set(nameOf(table), [...(machines.get(nameOf(table)) ?? []), table]);
  }
  for (const [name, tables] of machines) output.section(`Groups, simulated: ${name}`, groupsText(tables));
}

function printCollectives(bench: MeasuredRivals, output: CommandOutput): void {
  for (const pes of sizesOf(bench)) {
    const own = bench.measured.filter((one) => one.pes === pes);
    output.section(
      `Collectives, ${countText(pes, "PE")}: time by that of ours, after two barriers (figure 11), then ns`,
      byColumn(own, ({ what }) => what),
    );
  }
  output.print("OpenMP has no broadcast; its reduction leaves the sum at all threads, as an allreduce does.");
  printRivals(bench, output);
}

function printBarriers(bench: SmeltBarriers, output: CommandOutput): void {
  const of = (what: string) => bench.measured.filter((one) => one.what === what);
  output.section(
    "Barriers in a tight loop: time by that of ours (table 3), then ns",
    byColumn(of(LOOP), ({ pes }) => countText(pes, "PE")),
  );
  output.section(
    "Overhead of a barrier by EPCC's method: by that of ours (table 2), then ns",
    byColumn(of(EPCC), ({ pes }) => countText(pes, "PE")),
  );
  const delays = bench.delays.map(({ name, pes, delay }) => `${name} ${amountText(delay)} ns (${pes} PEs)`);
  output.print(
    `EPCC: a program in C with GOMP's barrier, or a tree's in its place, and ours in JavaScript, each with a delay of its own: ${delays.join(", ")}.`,
  );
  printRivals(bench, output);
}

function printStreamcluster(bench: SmeltStreamcluster, output: CommandOutput): void {
  const { points, dim, kMin, kMax } = bench.input;
  output.section(
    `Streamcluster, ${points} points of ${dim} coordinates, ${kMin} to ${kMax} centers: time by that with our barrier (5.5), then the time`,
    byColumn(
      bench.measured,
      ({ pes }) => countText(pes, "PE"),
      (ns) => durationText(Number(ns.toPrecision(4))),
    ),
  );
  output.print(
    `${bench.barriers} barriers at each PE, ${bench.gains} gains; all have the same cost, ${bench.found.cost.toPrecision(8)}, and centers.`,
  );
  printRivals(bench, output);
}

function printAgreement(bench: MeasuredRivals, output: CommandOutput): void {
  output.section(
    "Agreement by replicas: time of sequential sending by that along the tree, and both (figures 12, 13)",
    agreementText(bench),
  );
  output.print("Per command: all replicas propose, 64 under way at each. Reply: one proposes, one after the other.");
  printRivals(bench, output);
}

const sizesOf = ({ measured }: MeasuredRivals): number[] => [...new Set(measured.map(({ pes }) => pes))];

/**
 * A line for each program: in each column by ours, and the time. Without a figure of ours the first one is the measure.
 */
function byColumn(
  figures: readonly RivalFigure[],
  columnOf: (one: RivalFigure) => string,
  timeText: (ns: number) => string = amountText,
): string {
  const columns = [...new Set(figures.map(columnOf))];
  const names = [...new Set(figures.map(({ name }) => name))];
  const of = (name: string, column: string) => figures.find((one) => one.name === name && columnOf(one) === column)?.ns;
  const ratio = (name: string, column: string): string => {
    const [own, base] = [of(name, column), of(OURS, column)];
    return own === undefined || base === undefined ? "-" : fasterText(own / base);
  };
  const time = (name: string, column: string): string => {
    const own = of(name, column);
    return own === undefined ? "-" : timeText(own);
  };
  return tableText(
    ["", ...columns, ...columns.map((column) => `${column}, time`)],
    names.map((name) => [
      name,
      ...columns.map((column) => ratio(name, column)),
      ...columns.map((column) => time(name, column)),
    ]),
  );
}

function printRivals(bench: MeasuredRivals, output: CommandOutput): void {
  for (const { name, reason } of bench.missing) output.print(`not measured: ${name} (${reason})`);
  const known = Object.entries(bench.versions).filter(([, version]) => version !== "");
  if (known.length > 0) output.print(`Versions: ${known.map((entry) => entry.join(" ")).join("; ")}.`);
  printPlace(bench, output);
}

function printPlace(bench: MeasuredTrees | MeasuredRivals, output: CommandOutput): void {
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  output.print(`On ${cpusText(bench.cpus)}.`);
  output.print(`${probeText(bench)}\n`);
}

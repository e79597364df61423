/**
 * The result of `bench append` as text and tables: the targets, then a table for each place and number of writers, the
 * ratio first.
 */

import { amountText, bytesText, countText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../src/machine/model/cpus.ts";
import type { AppendBench, AppendMeasured } from "../../append/measured.ts";
import { type AppendTarget, bandwidthOf, rivalOf, type Share } from "../../append/results.ts";
import { fasterText } from "./bench-mpi-text.ts";
import { probeText } from "./bench-text.ts";

/** Conclusions from the measurements. */
export interface AppendResults {
  readonly targets: readonly AppendTarget[];
  readonly shares: readonly Share[];
}

/** Prints targets, tables, missing programs, and the reliability. */
export function printAppend(bench: AppendBench, { targets, shares }: AppendResults, output: CommandOutput): void {
  const { measured, missing, cpus, versions } = bench;
  const isOnThreads = measured.some(({ where }) => where === "threads");
  if (isOnThreads) output.section("Targets", targetsText(targets));
  printAppendPlaces(measured, output);
  if (shares.length > 0) {
    output.section(
      `Threads: time of all writers by the sum of the times of each alone, on ${cpusText(cpus)}`,
      sharesText(shares),
    );
  }
  for (const { name, reason } of missing) output.print(`not measured: ${name} (${reason})`);
  const known = Object.entries(versions).map((entry) => entry.join(" "));
  output.print(`Versions: ${known.join("; ")}. On ${cpusText(cpus)}; nodes are processes of this machine.`);
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  if (isOnThreads && cpus.length !== 2) output.print("The targets were set for 2 CPUs.");
  output.print(probeText(bench));
}

/** A table or two for each place and number of writers. */
export function printAppendPlaces(measured: readonly AppendMeasured[], output: CommandOutput): void {
  const together = measured.filter(({ isAlone }) => !isAlone);
  for (const place of new Set(together.map(placeOf))) {
    const here = together.filter((one) => placeOf(one) === place);
    const ratio = (one: AppendMeasured) => fasterText(ratioOf(measured, one));
    if (here[0].where === "threads") {
      output.section(`${place}: time of a push by that of an atomic addition and a copy in C`, bySize(here, ratio));
    } else {
      output.section(
        `${place}: how many times faster than MPI_Fetch_and_op and MPI_Put in C (figure 3)`,
        bySize(here, ratio),
      );
      output.section(
        `${place}: bandwidth of a writer, MiB/s (figure 2)`,
        bySize(here, (one) => amountText(bandwidthOf(one) / 2 ** 20)),
      );
    }
    output.section(
      `${place}: a push, ns`,
      bySize(here, ({ ns }) => amountText(ns)),
    );
  }
}

const placeOf = ({ where, writers }: AppendMeasured): string =>
  `${where === "threads" ? "Threads" : where}, ${countText(writers, "writer")}`;

/** On threads ours by C; over nodes C by ours, as in figure 3 of the paper. */
function ratioOf(measured: readonly AppendMeasured[], one: AppendMeasured): number {
  const rival = rivalOf(measured, one)?.ns ?? Number.NaN;
  return one.where === "threads" ? one.ns / rival : rival / one.ns;
}

/** A line for each way, C first, and a column for each size. */
function bySize(here: readonly AppendMeasured[], cellOf: (one: AppendMeasured) => string): string {
  const isC = (name: string) => name.startsWith("C");
  const names = [...new Set(here.map(({ name }) => name))];
  return table(
    [...names.filter(isC), ...names.filter((name) => !isC(name))].map((name) => ({
      head: [name],
      own: here.filter((one) => one.name === name),
    })),
    ["how"],
    cellOf,
  );
}

/** Lines with their first cells, and a column for each size that there is. */
function table<One extends { readonly bytes: number }>(
  lines: readonly { readonly head: readonly string[]; readonly own: readonly One[] }[],
  head: readonly string[],
  cellOf: (one: One) => string,
): string {
  const sizes = [...new Set(lines.flatMap(({ own }) => own.map(({ bytes }) => bytes)))].sort((a, b) => a - b);
  return tableText(
    [...head, ...sizes.map(bytesText)],
    lines.map(({ head: cells, own }) => [
      ...cells,
      ...sizes.map((size) => {
        const one = own.find(({ bytes }) => bytes === size);
        return one === undefined ? "-" : cellOf(one);
      }),
    ]),
    head.map((_, column) => column),
  );
}

/** A line for each way and number of writers. */
function sharesText(shares: readonly Share[]): string {
  const lines = [...new Set(shares.map(({ name, writers }) => JSON.stringify([name, writers])))];
  return table(
    lines.map((line) => {
      const [name, writers] = JSON.parse(line) as [string, number];
      const own = shares.filter((one) => one.name === name && one.writers === writers);
      return { head: [countText(writers, "writer"), name], own };
    }),
    ["", "how"],
    ({ share }) => fasterText(share),
  );
}

/** A line for each target: the worst of all pushes. */
export const targetsText = (targets: readonly AppendTarget[]): string =>
  tableText(
    ["ratio", "", "at most", "target", "worst"],
    targets.map(({ what, bound, reached, at, isReached }) => [
      reached === null ? "-" : ratioText(reached),
      reached === null ? "not measured" : isReached ? "reached" : "missed",
      ratioText(bound),
      what,
      at || "-",
    ]),
    [1, 3, 4],
  );

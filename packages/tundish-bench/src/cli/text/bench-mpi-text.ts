/** The result of `bench mpi` as text and tables: a table for each layout and part, the ratio first. */

import type { Measured } from "../../../../../microbench/pairs/profiled.ts";
import { median } from "../../../../../src/ground/base/math.ts";
import { countText, durationText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../src/machine/model/cpus.ts";
import type { MpiBench, MpiMeasured } from "../../mpi/bench-mpi.ts";
import { LAYOUTS, type Layout, layoutText, loopText, type MpiPart, WAYS } from "../../mpi/jobs.ts";
import { probeText } from "./bench-text.ts";

/** Loads that the summary counts as small and as large, items per pair of PEs. */
const SMALL = 100;
const LARGE = 10_000;

/** As `ratioText`, with more digits for ratios below 0.1. */
export const fasterText = (ratio: number): string => (ratio < 0.1 ? `${ratio.toPrecision(2)} x` : ratioText(ratio));

/** Prints all tables, missing programs, and the reliability. */
export function printMpi(bench: MpiBench, output: CommandOutput): void {
  const { mpi, cpus, missing, pinned } = bench;
  for (const layout of LAYOUTS) {
    printCollectives(bench, layout, output);
    printExchanges(bench, layout, output);
    printParts(bench, layout, output);
    printLoops(bench, layout, output);
  }
  for (const { name, reason } of missing) output.print(`not measured: ${name} (${reason})`);
  const by = mpi.tcp ? "TCP" : "the MPI's choice: shared memory";
  output.print(
    `${mpi.name} ${mpi.version}; nodes are processes of this machine, on ${cpusText(cpus)}; messages by ${by}.`,
  );
  if (!pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  output.print(probeText(bench));
}

const placeText = ({ nodes, pes }: Layout): string => `${nodes} nodes x ${countText(pes, "PE")}`;

/** Our measurements and MPI's counterparts, in the order of measurement. */
function pairs({ measured, mpi }: MpiBench, layout: Layout, part: MpiPart): [MpiMeasured, MpiMeasured][] {
  const here = measured.filter(
    (one) => one.layout.nodes === layout.nodes && one.layout.pes === layout.pes && one.part === part,
  );
  return here.flatMap((ours) => {
    const theirs = here.find(({ name, what }) => name === mpi.name && what === ours.what);
    return ours.name === mpi.name || theirs === undefined ? [] : [[ours, theirs]];
  });
}

function printCollectives(bench: MpiBench, layout: Layout, output: CommandOutput): void {
  const all = pairs(bench, layout, "collectives");
  if (all.length === 0) return;
  output.section(
    `Collectives, ${placeText(layout)}: how many times faster than ${bench.mpi.name}`,
    tableText(
      ["faster", "what", "tundish", "quartiles", bench.mpi.name, "quartiles"],
      all.map(([ours, theirs]) => [fasterText(theirs.ns / ours.ns), ours.what, ...times(ours), ...times(theirs)]),
      [1],
    ),
  );
}

function printExchanges(bench: MpiBench, layout: Layout, output: CommandOutput): void {
  const all = pairs(bench, layout, "exchange");
  if (all.length === 0) return;
  const rows = all.map(([ours, theirs]) => [
    fasterText(theirs.ns / ours.ns),
    `${ours.bytes} B`,
    `${ours.load}`,
    ours.name.replace("tundish, ", ""),
    ...times(ours),
    ...times(theirs),
  ]);
  output.section(
    `Exchanges, ${placeText(layout)}: how many times faster than sorting and MPI_Alltoallv of ${bench.mpi.name}`,
    tableText(["faster", "item", "per pair", "how", "tundish", "quartiles", "MPI_Alltoallv", "quartiles"], rows, [3]),
  );
  const share = (streams: boolean, isMeant: (load: number) => boolean): string => {
    const ratios = all
      .filter(([{ name, load }]) => isStream(name) === streams && isMeant(load as number))
      .map(([ours, theirs]) => theirs.ns / ours.ns);
    return ratios.length === 0 ? "-" : fasterText(median(ratios));
  };
  const [sessions, streams] = [false, true].map((isStreamed) => [
    share(isStreamed, (load) => load <= SMALL),
    share(isStreamed, (load) => load >= LARGE),
  ]);
  output.print(
    `Median of sessions: ${sessions[0]} with up to ${SMALL} items per pair, ${sessions[1]} from ${LARGE} on; ` +
      `of streams: ${streams[0]} and ${streams[1]}.`,
  );
}

function printParts(bench: MpiBench, layout: Layout, output: CommandOutput): void {
  const all = pairs(bench, layout, "parts");
  if (all.length === 0) return;
  output.section(
    `exchange.all, ${placeText(layout)}: how many times faster than MPI_Alltoallv of ${bench.mpi.name}`,
    partsText(all),
  );
}

/** Beside blocks that stay where they are. */
function printLoops({ measured }: MpiBench, layout: Layout, output: CommandOutput): void {
  const all = measured.filter((one) => one.part === "loops" && layoutText(one.layout) === layoutText(layout));
  const blocks = all.find(({ what }) => what === loopText("static"));
  if (blocks === undefined) return;
  output.section(
    `Uneven loops, ${placeText(layout)}: how many times faster than a block for each PE`,
    tableText(
      ["faster", "work, schedule", "time", "quartiles"],
      all.map((one) => [fasterText(blocks.ns / one.ns), one.what, ...times(one)]),
      [1],
    ),
  );
}

/** A line for each size and discipline: ours and MPI's. */
export const partsText = (all: readonly (readonly [ours: Measured, theirs: Measured])[]): string =>
  tableText(
    ["faster", "what", "discipline", "tundish", "quartiles", "MPI_Alltoallv", "quartiles"],
    all.map(([ours, theirs]) => [
      fasterText(theirs.ns / ours.ns),
      ours.what,
      ours.name.replace("tundish, ", ""),
      ...times(ours),
      ...times(theirs),
    ]),
    [1, 2],
  );

const isStream = (name: string): boolean => WAYS.some((one) => one.name === name && one.streams);

/** A time and its quartiles. */
const times = ({ ns, low, high }: Measured): string[] => [
  durationText(ns),
  `${durationText(low)} to ${durationText(high)}`,
];

/** The result of `bench collectives` as text and tables: the targets first, then everything. */

import type { Measured } from "../../../../../microbench/pairs/profiled.ts";
import type { TurnsMade } from "../../../../../microbench/turns/turns.ts";
import { channelKinds } from "../../../../../src/ground/base/channel-kinds.ts";
import { amountText, countText, percentText, ratioText } from "../../../../../src/ground/base/units.ts";
import type { CommandOutput } from "../../../../../src/interface/cli/terminal/output.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { cpusText } from "../../../../../src/machine/model/cpus.ts";
import type { CollectivesBench } from "../../collectives/bench-collectives.ts";
import { IDLE, type Target, type TargetResult, type Times } from "../../turns/targets.ts";

/** Prints targets, measurements, missing programs, and the reliability. */
export function printCollectives(bench: CollectivesBench, output: CommandOutput): void {
  const { cpus, measured, missing, versions } = bench;
  output.section(`Targets, ${countText(cpus.length, "PE")} on ${cpusText(cpus)}, ns`, targetTable(bench.targets));
  output.section("Everything measured, ns per operation", measuredTable(measured));
  output.section("Over each kind of channels, ns per operation", channelTable(bench.channels));
  for (const { name, reason } of missing) output.print(`not measured: ${name} (${reason})`);
  const known = Object.entries(versions).filter(([, version]) => version !== "");
  if (known.length > 0) output.print(`Versions: ${known.map((entry) => entry.join(" ")).join("; ")}.`);
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  if (cpus.length !== 2) output.print("The targets were set for 2 PEs.");
  output.print(probeText(bench));
}

/** A line for each target and mode that it was measured in, the ratio first. */
export function targetTable(results: readonly TargetResult[]): string {
  return tableText(
    ["ratio", "", "mode", "target", "tundish", "quartiles", "rival", "median", "quartiles"],
    results.map(({ target, mode, reached, verdict, ours, rival }) => {
      // figures of different modes are not compared, but each is told
      const at = (times: Times) => (verdict === "in different modes" ? ` (${modeText(times.mode)})` : "");
      return [
        reached === null ? "-" : ratioText(target.kind === "below" ? reached / target.bound : reached),
        verdict,
        reached === null ? "-" : modeText(mode),
        targetText(target),
        ours ? timeText(ours) + at(ours) : "-",
        ours ? spreadText(ours) : "-",
        rival ? rival.name : "-",
        rival ? timeText(rival) + at(rival) : "-",
        rival ? spreadText(rival) : "-",
      ];
    }),
    [1, 3, 6],
  );
}

/** `105 ns`: the round trip of a cache line. */
export const modeText = (mode: number | null | undefined): string =>
  mode === null || mode === undefined ? "mixed" : `${mode} ns`;

/** `barrier: 2.5 x faster than Open MPI` */
export function targetText({ who, what: work, operations = 1, kind, bound, rivals }: Target): string {
  // of ours alone: one operation beside another one
  const rival = rivals?.names[0] === who ? rivals?.whats[0] : rivals?.names[0];
  const what = who === undefined ? work : `${work}, ${who.replace("tundish, ", "")}`;
  const name = operations > 1 ? `${operations} x ${what}` : what;
  if (kind === "below") return `${name}: at most ${timeText({ what, ns: bound })}`;
  if (kind === "within") return `${name}: at most ${bound} x ${rival}`;
  return bound === 1 ? `${name}: no slower than ${rival}` : `${name}: ${bound} x faster than ${rival}`;
}

function timeText({ what, ns }: Pick<Times, "what" | "ns">): string {
  return what === IDLE ? percentText(ns / 1e9) : amountText(ns);
}

function spreadText({ what, low, high }: Times): string {
  return `${timeText({ what, ns: low })} to ${timeText({ what, ns: high })}`;
}

/** Each of our measurements, followed by the same of other programs in the same mode, the fastest first. */
function measuredTable(measured: readonly Measured[]): string {
  const ours = measured.filter(({ name }) => name === "tundish");
  const kinds = [...new Set([...ours, ...measured].map(({ what }) => what))];
  const rows = kinds.flatMap((kind) => {
    const all = measured.filter(({ what }) => what === kind);
    return modesIn(all).flatMap((mode) =>
      all
        .filter((one) => one.mode === mode)
        .sort((a, b) => Number(b.name === "tundish") - Number(a.name === "tundish") || a.ns - b.ns),
    );
  });
  return tableText(
    ["to ours", "mode", "what", "who", "median", "quartiles", "batches"],
    rows.map((row) => {
      const own = ours.find(({ what, mode }) => what === row.what && mode === row.mode);
      return [
        own ? ratioText(row.ns / own.ns) : "-",
        modeText(row.mode),
        row.what,
        row.name,
        timeText(row),
        spreadText(row),
        `${row.batches} of ${row.batch}`,
      ];
    }),
    [2, 3],
  );
}

/** The modes that something was measured in. */
export const modesIn = (measured: readonly Measured[]): (number | null | undefined)[] => [
  ...new Set(measured.map(({ mode }) => mode)),
];

/** UMP beside FastForward, in the same mode. */
function channelTable(measured: readonly Measured[]): string {
  const [ump, other] = channelKinds;
  const whats = [...new Set(measured.map(({ what }) => what))];
  const rows = whats.flatMap((what) =>
    modesIn(measured).flatMap((mode) => {
      const both = channelKinds.map((kind) =>
        measured.find((one) => one.what === what && one.name === kind && one.mode === mode),
      );
      if (both.every((one) => one === undefined)) return [];
      return [
        [
          both[0] && both[1] ? ratioText(both[1].ns / both[0].ns) : "-",
          modeText(mode),
          what,
          ...both.flatMap((one) => (one ? [timeText(one), spreadText(one)] : ["-", "-"])),
        ],
      ];
    }),
  );
  return tableText([`to ${ump}`, "mode", "what", ump, "quartiles", other, "quartiles"], rows, [2]);
}

/** All measurements in their order, as a table. */
export function plainTable(measured: readonly Measured[], unit: string): string {
  return tableText(
    ["mode", "what", "who", unit, "quartiles", "batches"],
    measured.map((one) => [
      modeText(one.mode),
      one.what,
      one.name,
      timeText(one),
      spreadText(one),
      `${one.batches} of ${one.batch}`,
    ]),
    [1, 2],
  );
}

/** How near the CPUs were, and whether that held. */
export function probeText({
  probe,
  modes,
  turns,
  left,
  stable,
}: Omit<TurnsMade, "complete"> & { readonly stable: boolean }): string {
  const range = `${amountText(Math.min(...probe))} to ${amountText(Math.max(...probe))} ns`;
  const out = left > 0 ? `, ${left} of them not counted, as the mode was another or changed meanwhile` : "";
  const seen = modes.map(({ mode, turns }) => `${modeText(mode)} (${countText(turns, "turn")})`).join(", ");
  const verdict = stable
    ? "every program had a turn in the first"
    : "NO mode had a turn of every program: compare only figures of the same mode";
  return `Probe: the round trip of a cache line took ${range} over ${countText(turns, "turn")}${out}; modes: ${seen}; ${verdict}.`;
}

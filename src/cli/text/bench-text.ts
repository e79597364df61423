/** The result of `bench collectives` as text and tables: the targets first, then everything. */

import type { CollectivesBench } from "../../../bench/collectives/bench-collectives.ts";
import { IDLE, type Target, type TargetResult, type Times } from "../../../bench/turns/targets.ts";
import type { Measured } from "../../../microbench/pairs/types.ts";
import { channelKinds } from "../../base/channel-kinds.ts";
import { amountText, countText, percentText, ratioText } from "../../base/units.ts";
import { cpusText } from "../../machine/cpus.ts";
import type { Output } from "../terminal/output.ts";
import { tableText } from "./table.ts";

/** Prints targets, measurements, missing programs, and the reliability. */
export function printCollectives(bench: CollectivesBench, output: Output): void {
  const { cpus, measured, missing, versions } = bench;
  output.section(
    `Targets, ${countText(cpus.length, "PE")} on ${cpusText(cpus)}, ns`,
    targetTable(bench.targets),
  );
  output.section("Everything measured, ns per operation", measuredTable(measured));
  output.section("Over each kind of channels, ns per operation", channelTable(bench.channels));
  for (const { name, reason } of missing) output.print(`not measured: ${name} (${reason})`);
  const known = Object.entries(versions).filter(([, version]) => version !== "");
  if (known.length > 0) output.print(`Versions: ${known.map((entry) => entry.join(" ")).join("; ")}.`);
  if (!bench.pinned) output.print("Our PEs were NOT bound to their CPUs: see tundish doctor.");
  if (cpus.length !== 2) output.print("The targets were set for 2 PEs.");
  output.print(probeText(bench));
}

/** A line for each target, the ratio first. */
export function targetTable(results: readonly TargetResult[]): string {
  return tableText(
    ["ratio", "", "target", "tundish", "quartiles", "rival", "median", "quartiles"],
    results.map(({ target, reached, verdict, ours, rival }) => [
      reached === null ? "-" : ratioText(target.kind === "below" ? reached / target.bound : reached),
      verdict,
      targetText(target),
      ours ? timeText(ours) : "-",
      ours ? spreadText(ours) : "-",
      rival ? rival.name : "-",
      rival ? timeText(rival) : "-",
      rival ? spreadText(rival) : "-",
    ]),
    [1, 2, 5],
  );
}

/** `barrier: 2.5 x faster than Open MPI` */
export function targetText({ who, what: work, operations = 1, kind, bound, rivals }: Target): string {
  const rival = rivals?.names[0];
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

/** Each of our measurements, followed by the same of other programs, the fastest first. */
function measuredTable(measured: readonly Measured[]): string {
  const ours = measured.filter(({ name }) => name === "tundish");
  const kinds = [...new Set([...ours, ...measured].map(({ what }) => what))];
  const rows = kinds.flatMap((kind) =>
    measured
      .filter(({ what }) => what === kind)
      .sort((a, b) => Number(b.name === "tundish") - Number(a.name === "tundish") || a.ns - b.ns),
  );
  return tableText(
    ["to ours", "what", "who", "median", "quartiles", "batches"],
    rows.map((row) => {
      const own = ours.find(({ what }) => what === row.what);
      return [
        own ? ratioText(row.ns / own.ns) : "-",
        row.what,
        row.name,
        timeText(row),
        spreadText(row),
        `${row.batches} of ${row.batch}`,
      ];
    }),
    [1, 2],
  );
}

/** UMP beside FastForward. */
function channelTable(measured: readonly Measured[]): string {
  const whats = [...new Set(measured.map(({ what }) => what))];
  const rows = whats.map((what) => {
    const [ump, other] = channelKinds.map((kind) =>
      measured.find((one) => one.what === what && one.name === kind),
    ) as [Measured, Measured];
    return [
      ratioText(other.ns / ump.ns),
      what,
      ...[ump, other].flatMap((one) => [timeText(one), spreadText(one)]),
    ];
  });
  const [ump, other] = channelKinds;
  return tableText([`to ${ump}`, "what", ump, "quartiles", other, "quartiles"], rows, [1]);
}

/** How near the CPUs were, and whether that held. */
export function probeText({
  probe,
  turns,
  left,
  stable,
}: Pick<CollectivesBench, "probe" | "turns" | "left" | "stable">): string {
  const range = `${amountText(Math.min(...probe))} to ${amountText(Math.max(...probe))} ns`;
  const out =
    left > 0 ? `, ${left} of them excluded because the CPUs were nearer or farther than in most turns` : "";
  const verdict = stable
    ? "all counted turns were in one mode"
    : "NOT all turns were in one mode, near or far: the results are not comparable";
  return `Probe: the round trip of a cache line took ${range} over ${countText(turns, "turn")}${out}; ${verdict}.`;
}

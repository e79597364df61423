/** Measurements as text and tables: predictions compared with measurements, Tundish compared with other programs. */
import type { Comparison, Measured } from "../../../../microbench/pairs/profiled.ts";
import { amountText, countText, ratioText } from "../../../ground/base/units.ts";
import type { CommandOutput } from "../terminal/output.ts";
import { tableText } from "./table.ts";

/** Prints the predictions, the other programs, further measurements, and the reliability. */
export function printComparison(comparison: Comparison, output: CommandOutput): void {
  const { predictions, ours, rivals, missing, pes } = comparison;
  if (predictions.length > 0) {
    output.section(`Predicted and measured on ${countText(pes, "PE")}, ns`, predictionTable(comparison));
  }
  if (rivals.length > 0) {
    output.section(
      `Compared with what Node.js offers, ${countText(pes, "PE")}, ns per operation`,
      rivalTable(comparison),
    );
  }
  const alone = ours.filter((one) => !rivals.some(({ what }) => what === one.what));
  if (alone.length > 0) output.section("Also measured, ns per operation", ownTable(alone));
  for (const { name, reason } of missing) output.print(`not measured: ${name} (${reason})`);
  output.print(probeText(comparison));
}

function predictionTable({ predictions }: Comparison): string {
  return tableText(
    ["measured / predicted", "operation", "algorithm", "predicted", "measured"],
    predictions.map(({ operation, algorithm, predicted, measured }) => [
      ratioText(measured / predicted),
      operation,
      algorithm,
      amountText(predicted),
      amountText(measured),
    ]),
    [1, 2],
  );
}

function rivalTable({ ours, rivals, pes }: Comparison): string {
  return tableText(
    ["faster", "what", "tundish", "quartiles", "today", "median", "quartiles"],
    rivals.map((rival) => {
      const own = counterpart(rival, ours, pes);
      return [
        own ? ratioText(rival.ns / own.ns) : "-",
        own ? own.what : rival.what,
        own ? amountText(own.ns) : "-",
        own ? spreadText(own) : "-",
        rival.name,
        amountText(rival.ns),
        spreadText(rival),
      ];
    }),
    [1, 4],
  );
}

type Times = Pick<Measured, "what" | "ns" | "low" | "high">;

/**
 * Tundish's counterpart of another program's measurement. For a round trip it is two broadcasts: they alternate between
 * the root and the PE farthest from it, so that two send a value there and back.
 */
function counterpart(rival: Measured, ours: readonly Measured[], pes: number): Times | undefined {
  const same = ours.find(({ what }) => what === rival.what);
  const broadcast = ours.find(({ what }) => what === "broadcast f64");
  if (same || !broadcast || pes === 1 || rival.what !== "round trip") return same;
  const { ns, low, high } = broadcast;
  return { what: "round trip (two broadcasts)", ns: 2 * ns, low: 2 * low, high: 2 * high };
}

function ownTable(measured: readonly Measured[]): string {
  return tableText(
    ["what", "tundish", "quartiles"],
    measured.map((one) => [one.what, amountText(one.ns), spreadText(one)]),
  );
}

function spreadText({ low, high }: Times): string {
  return `${amountText(low)} to ${amountText(high)}`;
}

function probeText({ probe, turns, left, likeProfile, pes }: Comparison): string {
  if (pes === 1) return "Probe: none, there is only one PE.";
  const range = `${amountText(Math.min(...probe))} to ${amountText(Math.max(...probe))} ns`;
  const out = left > 0 ? `, ${left} of them excluded because the CPUs were nearer or farther than usual` : "";
  const verdict = likeProfile
    ? "as near as while they were profiled"
    : "NOT as near as while they were profiled: trust the ratios, not the times";
  return `Probe: the round trip of a cache line took ${range} over ${turns} turns${out}; the CPUs were ${verdict}.`;
}

/** Latencies by rate, as text. */

import { amountText, durationText } from "../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import type { LatencyBench } from "../../latency/latency.ts";

/** A line for each rate and contender; ratios are those of the first contender at the same rate. */
export function latencyText({ measured }: LatencyBench): string {
  const [first] = measured;
  const rows = measured.map((one) => {
    const ours = measured.find(({ name, rate }) => name === first?.name && rate === one.rate) ?? one;
    return [
      amountText(one.rate),
      one.name,
      amountText(one.p99 / ours.p99),
      `${amountText(one.reached)}${one.isBehind ? " behind" : ""}`,
      ...[one.p50, one.p90, one.p99, one.p999, one.most].map(durationText),
      amountText(one.itemsEach),
    ];
  });
  return tableText(
    ["items/s", "", "p99 / ours", "reached", "p50", "p90", "p99", "p99.9", "most", "items each"],
    rows,
    [1],
  );
}

/** Whether the CPUs were near to each other. */
export const distancesText = ({ distances, cpus }: LatencyBench): string =>
  `CPUs ${cpus.join(", ")}: a cache line there and back in ${durationText(Math.min(...distances))} to ${durationText(Math.max(...distances))}`;

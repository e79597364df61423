/** Bulk traffic under disciplines, as text. */

import { amountText, bytesText, percentText } from "../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import type { FigureCheck } from "../../traffic/checks.ts";
import type { TrafficMachine } from "../../traffic/machines.ts";
import type { TrafficRun } from "../../traffic/run.ts";

/** A line for each pattern, discipline and block size. */
export function trafficText(runs: readonly TrafficRun[]): string {
  const rows = runs.map((run) => [
    run.pattern,
    run.discipline,
    bytesText(run.blockBytes),
    amountText(run.bandwidth),
    percentText(run.busy),
    String(run.mostAtOnce),
    run.meanAtOnce.toFixed(1),
    Object.entries(run.counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(", "),
  ]);
  return tableText(
    ["pattern", "discipline", "blocks", "MB/s", "sending", "at once: most", "mean", "counts"],
    rows,
    [0, 1, 7],
  );
}

/** Assumptions without a source. */
export const assumptionsText = ({ assumptions }: TrafficMachine): string =>
  Object.entries(assumptions)
    .map(([name, reason]) => `${name}: ${reason}`)
    .join("\n");

/** A line for each sentence of the paper, with its numbers below. */
export const checksText = (checks: readonly FigureCheck[]): string =>
  checks
    .map(
      ({ figure, claim, agrees, numbers }) =>
        `${agrees ? "agrees" : "differs"}  figure ${figure}: ${claim}\n         ${numbers}`,
    )
    .join("\n");

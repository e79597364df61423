/** The judgement of the model of aggregation, as text. */

import { durationText, percentText } from "../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import type { JudgedAggregation, SweptBuffer } from "../../plan/aggregation.ts";
import { type AggregationSummary, type BufferChoice, CLOSE } from "../../plan/aggregation-summary.ts";

/** A line for each case. */
export function aggregationsText(all: readonly JudgedAggregation[]): string {
  const buffer = (one: SweptBuffer | null) => (one === null ? ["-", "-"] : [String(one.items), durationText(one.cost)]);
  const rows = all.map(({ number, of, planned, byPlan, best, bound, without }) => [
    String(number),
    String(of.pes),
    String(of.hops),
    durationText(of.alpha),
    String(Math.round(of.rate)),
    String(of.itemBytes),
    String(Number(of.kappa.toPrecision(2))),
    ...buffer(planned),
    ...buffer(byPlan),
    ...buffer(best),
    percentText(planned.cost / best.cost - 1),
    ...buffer(bound),
    durationText(without),
  ]);
  const head = ["case", "PEs", "hops", "alpha", "items/s", "bytes", "kappa"];
  const ways = ["model", "costs", "plan", "costs", "best", "costs", "model over best", "bound", "costs", "one by one"];
  return tableText([...head, ...ways], rows, []);
}

/** Over all cases. */
export function aggregationSummaryText(summary: AggregationSummary): string {
  const rows: [string, BufferChoice][] = [
    ["the model's buffer over the best", summary.planned],
    ["a plan's buffer over the best", summary.byPlan],
    ["the bound 4.13 as a buffer, over the best", summary.bound],
    ["one by one, by the model, over the best", summary.without],
    ["at the bound and one by one, apart", summary.breakEven],
    ["simulated and predicted, apart", summary.predicted],
  ];
  return tableText(
    ["", `within ${percentText(CLOSE)}`, "median", "worst"],
    rows.map(([name, { cases, within, median, worst }]) => [
      name,
      `${within} of ${cases}`,
      percentText(median),
      percentText(worst),
    ]),
  );
}

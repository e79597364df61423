/** The option `adapt` beside fixed sizes, as text. */

import { median } from "../../../../../src/ground/base/math.ts";
import { amountText, bytesText, durationText, percentText } from "../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import type { JudgedAdapting } from "../../adapt/measure.ts";
import type { SimulatedAdapting } from "../../adapt/simulate.ts";

/** The target: no more than so much behind the best size. */
const CLOSE = 0.05;

type Judged = JudgedAdapting | SimulatedAdapting;

const head = ({ app, gap, pes, nodes }: Judged): string[] => [
  app,
  String(pes),
  String(nodes),
  gap === 0 ? "-" : durationText(gap),
];

/** A line for each case. */
export function measuredAdaptingText(all: readonly JudgedAdapting[]): string {
  return tableText(
    ["", "PEs", "nodes", "gap", "adapt / best", "", "best size", "adapt", "best", "worst size"],
    all.map((one) => [
      ...head(one),
      amountText(one.ratio),
      one.between.map(amountText).join(" to "),
      bytesText(one.best),
      durationText(one.adapted * 1e9),
      durationText(one.beside * 1e9),
      durationText(Math.max(...one.sizes.map(({ seconds }) => seconds)) * 1e9),
    ]),
    [],
  );
}

/** A line for each case. */
export function simulatedAdaptingText(all: readonly SimulatedAdapting[]): string {
  return tableText(
    ["", "PEs", "nodes", "gap", "adapt / best", "delay / best", "best size", "adapt", "delay", "worst size"],
    all.map((one) => [
      ...head(one),
      amountText(one.ratio),
      amountText(one.delayRatio),
      bytesText(one.best),
      durationText(one.adapted.seconds * 1e9),
      durationText(one.adapted.delay * 1e9),
      durationText(Math.max(...one.sizes.map(({ seconds }) => seconds)) * 1e9),
    ]),
    [],
  );
}

/** Over all cases, a line. */
export function adaptingSummaryText(where: string, all: readonly Judged[]): string {
  const ratios = all.map(({ ratio }) => ratio);
  const within = ratios.filter((ratio) => ratio <= 1 + CLOSE).length;
  return (
    `${where}: no more than ${percentText(CLOSE)} behind the best size in ${within} of ${all.length} cases; ` +
    `median ${amountText(median(ratios))}, worst ${amountText(Math.max(...ratios))} x its time`
  );
}

/** The comparison of plans with a sweep and with rules, as text. */

import { bytesText, durationText, percentText } from "../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { meshText } from "../../../../../src/route/geometry/make-route.ts";
import type { PlanComparison } from "../../plan/bench-plan.ts";
import { BAD, type PlanSummary, type RuleSummary } from "../../plan/plan-summary.ts";
import type { TimedChoice } from "../../plan/plan-sweep.ts";

/** A line for each case. */
export function plansText(all: readonly PlanComparison[]): string {
  const over = (one: PlanComparison, choice: TimedChoice) => percentText(choice.time / one.best.time - 1);
  const rows = all.map((one) => [
    String(one.number),
    `${one.nodes} x ${one.pes / one.nodes}`,
    String(one.itemBytes),
    String(one.load),
    one.maxBytes === null ? "-" : bytesText(one.maxBytes),
    nameOf(one.plan),
    durationText(one.plan.time),
    nameOf(one.best),
    ...[one.plan, one.noLoad, one.usual, one.bale, one.tram].map((choice) => over(one, choice)),
  ]);
  const head = ["case", "nodes x PEs", "item", "load", "budget", "plan", "takes", "best"];
  return tableText([...head, "plan over best", "no load", "usual", "bale's", "TRAM's"], rows, [1, 5, 7]);
}

const nameOf = ({ type, hops, groupSize, mesh, bufferBytes, buffersPerLink }: TimedChoice): string => {
  const way = mesh === undefined ? `${hops}${hops === 1 ? "" : `/${groupSize}`}` : meshText(mesh);
  return `${type} ${way} ${buffersPerLink} x ${bytesText(bufferBytes)}`;
};

/** Over all cases: the plan and the rules, and the cases in which the plan is bad. */
export function planSummaryText({ plan, noLoad, usual, bale, tram, bad }: PlanSummary): string {
  const row = (name: string, { median, worst }: { readonly median: number; readonly worst: number }) => [
    name,
    percentText(median),
    percentText(worst),
  ];
  return [
    tableText(
      ["over the best", "median", "worst"],
      [
        row("plan", plan),
        row("no load, a measured machine", noLoad),
        row("no load, nothing measured", usual),
        row("bale's rule", bale),
        row("TRAM's defaults", tram),
      ],
    ),
    "",
    againstText("bale's rule", bale),
    againstText("TRAM's defaults", tram),
    bad.length === 0
      ? `In no case the plan takes more than ${percentText(BAD)} longer than the best.`
      : [`More than ${percentText(BAD)} longer than the best:`, ...bad.map((name) => `  case ${name}`)].join("\n"),
  ].join("\n");
}

const againstText = (name: string, { planOverRule, planFaster, planSlower }: RuleSummary): string =>
  `Against ${name} the plan is faster by more than 5 % in ${planFaster} cases, slower in ${planSlower} ` +
  `(in the worst case ${percentText(planOverRule)} more).`;

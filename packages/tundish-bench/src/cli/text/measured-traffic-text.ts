/** Measured disciplines, as text. */

import { amountText, bytesText, percentText, ratioText } from "../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import { DISCIPLINES } from "../../../../../src/route/disciplines/options.ts";
import type { TrafficComparison, TrafficSummary, TrafficTimes } from "../../traffic/measure.ts";

const placeOf = ({ pattern, blocks, blockBytes }: TrafficComparison): string[] => [
  pattern,
  `${blocks} x ${bytesText(blockBytes)}`,
];

const ms = (ns: number): string => amountText(ns / 1e6);

/** A line for each case: the median under every discipline. */
export const trafficTimesText = (all: readonly TrafficComparison[]): string =>
  byDiscipline(all, ({ ns }, isGivenUp) => (isGivenUp ? `- ${ms(ns)}` : ms(ns)));

/** A line for each case: what TCP has sent again in a phase; null where nobody knows. */
export function sentAgainText(all: readonly TrafficComparison[]): string | null {
  if (all.some(({ times }) => times.some(({ retransmits }) => retransmits === null))) return null;
  return byDiscipline(all, ({ retransmits, timeouts }) => {
    const segments = (retransmits ?? 0).toFixed(0);
    return timeouts === 0 ? segments : `${segments} (${(timeouts ?? 0).toFixed(1)})`;
  });
}

/** A column for each discipline. */
function byDiscipline(
  all: readonly TrafficComparison[],
  cell: (times: TrafficTimes, isGivenUp: boolean) => string,
): string {
  const rows = all.map((one) => {
    const turns = Math.max(...one.times.map((times) => times.turns));
    return [
      ...placeOf(one),
      ...one.times.slice(0, DISCIPLINES.length).map((times) => cell(times, times.turns < turns)),
      String(turns),
    ];
  });
  return tableText(["pattern", "blocks of a PE", ...DISCIPLINES, "turns"], rows, [0, 1]);
}

const timesText = ({ ns, low, high }: TrafficTimes): string => `${ms(ns)} (${ms(low)} to ${ms(high)})`;

/** A line for each case: the plan's choice beside the best and eager, and how fast the PE that gets most has got it. */
export function measuredTrafficText(all: readonly TrafficComparison[]): string {
  const rows = all.map((one) => {
    const { plan, best } = one;
    const eager = one.times.find(({ name }) => name === "eager") as TrafficTimes;
    const most = 1000 * one.load.bytes * one.load.skew;
    return [
      ...placeOf(one),
      plan.name,
      timesText(plan),
      best.name,
      timesText(best),
      timesText(eager),
      percentText(one.regret),
      ratioText(one.gain),
      ...[plan, best, eager].map(({ ns }) => amountText(most / ns)),
    ];
  });
  return tableText(
    [
      "pattern",
      "blocks of a PE",
      "plan",
      "ms",
      "best",
      "ms",
      "eager, ms",
      "plan over best",
      "eager / plan",
      "most got, MB/s: plan",
      "best",
      "eager",
    ],
    rows,
    [0, 1, 2, 4],
  );
}

/** A line for each target. */
export function trafficSummaryText(
  { cases, near, median, worst, hotSpots, gained, gain }: TrafficSummary,
  targets: { readonly regret: number; readonly gain: number },
): string {
  const verdict = (count: number, of: number) => (count === of ? "reached" : "missed");
  const lines = [
    `${verdict(near, cases)}: the plan's choice within ${percentText(targets.regret)} of the best in ${near} of ${cases} cases; over it: ` +
      `median ${percentText(median)}, worst ${percentText(worst)}`,
  ];
  if (hotSpots > 0) {
    lines.push(
      `${verdict(gained, hotSpots)}: at hot spots ${ratioText(targets.gain)} faster than eager or more in ${gained} of ${hotSpots} cases; ` +
        `median ${ratioText(gain)}`,
    );
  }
  return lines.join("\n");
}

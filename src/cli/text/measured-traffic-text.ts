/** Measured disciplines, as text. */
import type { TrafficComparison, TrafficSummary, TrafficTimes } from "../../../bench/traffic/measure.ts";
import { amountText, bytesText, percentText, ratioText } from "../../base/units.ts";
import { tableText } from "./table.ts";

const placeOf = ({ pattern, blocks, blockBytes }: TrafficComparison): string[] => [
  pattern,
  `${blocks} x ${bytesText(blockBytes)}`,
];

const ms = (ns: number): string => amountText(ns / 1e6);

/** A line for each case: the median under every discipline. */
export function trafficTimesText(all: readonly TrafficComparison[]): string {
  const turns = (one: TrafficComparison): number => Math.max(...one.times.map((times) => times.turns));
  const rows = all.map((one) => [
    ...placeOf(one),
    ...one.times.map(({ ns, turns: had }) => (had < turns(one) ? `- ${ms(ns)}` : ms(ns))),
    String(turns(one)),
  ]);
  const names = all[0].times.map(({ discipline }) => discipline);
  return tableText(["pattern", "blocks of a PE", ...names, "turns"], rows, [0, 1]);
}

const timesText = ({ ns, low, high }: TrafficTimes): string => `${ms(ns)} (${ms(low)} to ${ms(high)})`;

/** Of a phase: segments sent again, and timeouts. */
const againText = ({ retransmits, timeouts }: TrafficTimes): string =>
  retransmits === null || timeouts === null ? "-" : `${amountText(retransmits)} / ${amountText(timeouts)}`;

/** A line for each case: the plan's choice beside the best and eager. */
export function measuredTrafficText(all: readonly TrafficComparison[]): string {
  const rows = all.map((one) => {
    const of = (name: string) => one.times.find(({ discipline }) => discipline === name) as TrafficTimes;
    const [best, eager] = [of(one.best), of("eager")];
    return [
      ...placeOf(one),
      ...[one.plan.discipline, timesText(one.plan), one.best, timesText(best), timesText(eager)],
      ...[
        percentText(one.regret),
        ratioText(one.gain),
        againText(one.plan),
        againText(best),
        againText(eager),
      ],
    ];
  });
  return tableText(
    [
      ...[
        "pattern",
        "blocks of a PE",
        "plan",
        "ms",
        "best",
        "ms",
        "eager, ms",
        "plan over best",
        "eager / plan",
      ],
      ...["sent again / timeouts: plan", "best", "eager"],
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

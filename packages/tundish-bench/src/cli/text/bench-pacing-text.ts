/** The rule for packets and their pace, and the best of a sweep, as text. */
import { amountText, bytesText, durationText } from "../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import type { JudgedPace, PacedRun } from "../../traffic/pacing.ts";

/** A line for each case, and the summary of each pattern. */
export function pacingText(judged: readonly JudgedPace[]): string {
  const rows = judged.map(({ of, rule, best, unpaced, other, plan, ruleRatio, planRatio }) => [
    of.name,
    String(of.pes),
    of.pattern,
    paceText(rule),
    durationText(rule.time),
    ruleRatio.toFixed(3),
    paceText(best),
    (unpaced.time / best.time).toFixed(2),
    `${other.choices.discipline} ${(other.time / best.time).toFixed(2)}`,
    `${plan.choices.discipline} ${planRatio.toFixed(3)}`,
  ]);
  const table = tableText(
    ["machine", "PEs", "pattern", "rule", "time", "/ best", "best", "no pace", "other", "plan / all"],
    rows,
    [0, 2, 3, 6, 8, 9],
  );
  const patterns = [...new Set(judged.map(({ of }) => of.pattern))];
  const summaries = patterns.map((pattern) => {
    const own = judged.filter(({ of }) => of.pattern === pattern);
    return `${pattern}: ${ratiosText("rule", own, "ruleRatio")}; ${ratiosText("plan", own, "planRatio")}`;
  });
  return [table, ...summaries].join("\n");
}

/** Example: `16 KiB, 27.2 MB/s`. */
const paceText = ({ choices: { packetBytes, pace } }: PacedRun): string =>
  packetBytes === undefined || pace === undefined
    ? `${packetBytes === undefined ? "" : `${bytesText(packetBytes)}, `}no pace`
    : `${bytesText(packetBytes)}, ${amountText(pace / 1e6)} MB/s`;

function ratiosText(name: string, judged: readonly JudgedPace[], of: "ruleRatio" | "planRatio"): string {
  const ratios = judged.map((one) => one[of]).sort((a, b) => a - b);
  const middle = (ratios[(ratios.length - 1) >> 1] + ratios[ratios.length >> 1]) / 2;
  return `${name} median ${middle.toFixed(3)}, worst ${ratios[ratios.length - 1].toFixed(3)}`;
}

/** The model's predictions, beside the measurements. */
import { ratioText } from "../../../ground/base/units.ts";
import type { PredictedTime, ReportDocument } from "../document.ts";
import { COLUMN, type Drawing, figure } from "./charts/figure.ts";
import { fitted, letters, n, widthOf } from "./charts/html.ts";
import { logarithmic } from "./charts/scale.ts";
import { idOf } from "./charts/series.ts";
import { howMeasured, modeText } from "./measured.ts";
import { columns, given, sectionOf } from "./section.ts";
import { medianOf, pesText, shortDuration } from "./words.ts";

export function predictionsSection({ predictions }: ReportDocument): string {
  return sectionOf({
    id: "predictions",
    title: "Predicted and measured",
    intro:
      "The model predicts how long a collective takes; then it is measured. A ratio of 1 says that the model has all that matters. Below 1, the machine does more at a time than the model allows it.",
    content: given(predictions, (figures) => {
      if (figures.times.length === 0) return howMeasured(figures);
      const groups = byOperation(figures.times);
      return columns([...groups].map(([operation, times]) => operationFigure(operation, times))) + howMeasured(figures);
    }),
  });
}

function byOperation(times: readonly PredictedTime[]): Map<string, PredictedTime[]> {
  const groups = new Map<string, PredictedTime[]>();
  for (const time of times) groups.set(time.operation, [...(groups.get(time.operation) ?? []), time]);
  return groups;
}

export const ratioOf = ({ ns, predicted }: PredictedTime): number => (predicted > 0 ? ns / predicted : Number.NaN);

function operationFigure(operation: string, times: readonly PredictedTime[]): string {
  const ratio = medianOf(times.map(ratioOf).filter(Number.isFinite));
  return figure({
    id: idOf(`predicted ${operation}`),
    title: operation,
    caption: `Ring: predicted. Dot: measured, with quartiles. Measured is ${ratioText(ratio)} the prediction in the median.${times.every(({ pes }) => pes < 3) ? " Between two PEs all trees are the same line: differences are noise." : ""}`,
    drawing: pairs(times),
    table: {
      head: ["algorithm", "PEs", "predicted, ns", "measured, ns", "quartiles, ns", "ratio", "mode"],
      rows: times.map((time) => [
        time.algorithm,
        time.pes,
        time.predicted.toFixed(1),
        time.ns.toFixed(1),
        `${time.low.toFixed(1)} to ${time.high.toFixed(1)}`,
        ratioOf(time).toFixed(2),
        modeText(time),
      ]),
    },
  });
}

const [ROW, FOOT, SIZE] = [40, 24, 12];

/** Rings and dots on one logarithmic scale, where equal distances are equal ratios. */
function pairs(times: readonly PredictedTime[]): Drawing {
  const isOnOne = new Set(times.map(({ pes }) => pes)).size === 1;
  const all = times.flatMap(({ ns, predicted, low, high }) => [ns, predicted, low, high]).filter((ns) => ns > 0);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  // at least an octave, so that small differences look small
  const stretch = Math.max(1, Math.sqrt(2 / (most / least))) * 1.05;
  const ends = [least / stretch, most * stretch] as const;
  const scale = logarithmic(ends, [6, COLUMN - 6]);
  const height = times.length * ROW + FOOT;
  const rows = times.flatMap((time, i) => {
    const y = i * ROW + 26;
    const { algorithm, pes, ns, predicted, low, high } = time;
    const ratio = ratioText(ratioOf(time));
    const who = isOnOne ? algorithm : `${algorithm}, ${pesText(pes)}`;
    const name = `${who}: ${shortDuration(predicted)}, measured ${shortDuration(ns)}`;
    return [
      letters(0, y - 13, fitted(name, SIZE, COLUMN - widthOf(ratio, SIZE) - 10), { size: SIZE }),
      letters(COLUMN, y - 13, ratio, { class: "strong", anchor: "end", size: SIZE }),
      `<path class="rule" d="M0,${y}H${COLUMN}"/>`,
      `<path class="between" d="M${n(scale(predicted))},${y}H${n(scale(ns))}"/>`,
      scale(high) - scale(low) < 2 ? "" : `<path class="whisker" d="M${n(scale(low))},${y}H${n(scale(high))}"/>`,
      `<circle class="hollow" cx="${n(scale(predicted))}" cy="${y}" r="5"/>`,
      `<circle class="dot" cx="${n(scale(ns))}" cy="${y}" r="5"/>`,
    ];
  });
  const content = [
    ...rows,
    letters(0, height - 4, shortDuration(ends[0]), { class: "muted" }),
    letters(COLUMN, height - 4, `${shortDuration(ends[1])}, logarithmic`, { class: "muted", anchor: "end" }),
  ];
  return { width: COLUMN, height, content: content.join("") };
}

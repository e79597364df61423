/** Throughput and latency by replicas as one SVG, after figures 12 and 13 of Smelt's paper: a row for each kind. */
import { amountText, durationText } from "../../../../src/ground/base/units.ts";
import { type Curve, type PlotRow, plotsSvg } from "../curves/curves-svg.ts";
import type { AgreementFigure } from "./smelt-agreement.ts";

/** The drawing as a document. */
export function agreementSvg(figures: readonly AgreementFigure[]): string {
  const rows = [...new Set(figures.map(({ kind }) => kind))].map((kind): PlotRow => {
    const own = figures.filter((one) => one.kind === kind);
    const names = [...new Set(own.map(({ dissemination }) => dissemination))];
    const curves = (of: (one: AgreementFigure) => number): Curve[] =>
      names.map((name) => ({
        name,
        points: own.filter(({ dissemination }) => dissemination === name).map((one) => [one.pes, of(one)] as const),
      }));
    const placeText = (pes: number) => String(pes);
    return {
      names,
      plots: [
        {
          title: `${kind}: commands a second, by replicas`,
          placeText,
          least: 2,
          curves: curves(({ each }) => 1e9 / each),
          valueText: (value) => amountText(value),
        },
        {
          title: `${kind}: until the reply, by replicas`,
          placeText,
          least: 2,
          curves: curves(({ reply }) => reply),
          valueText: (value) => durationText(Number(value.toPrecision(3))),
        },
      ],
    };
  });
  return plotsSvg("Agreement by replicas: along the tree, and by sequential sending", rows);
}

/**
 * Bandwidth and factor by size as one SVG, after figures 2 and 3 of Dinan, Flajslik, "One-Sided Append": a row for each
 * place, all axes logarithmic.
 */
import { bytesText } from "../../../../src/ground/base/units.ts";
import { type Curve, type PlotRow, plotsSvg } from "../curves/curves-svg.ts";
import type { AppendMeasured } from "./measured.ts";
import { bandwidthOf, rivalOf } from "./results.ts";

/** Of these the row for so many writers at most is drawn. */
const MOST_WRITERS = 2;

/** The drawing as a document. @param measured of one place or several */
export function appendSvg(measured: readonly AppendMeasured[]): string {
  const drawn = measured.filter(
    ({ isAlone, writers, name }) => !isAlone && writers <= MOST_WRITERS && name !== "C, add alone",
  );
  const rows = [...new Set(drawn.map(rowOf))].map((row): PlotRow => {
    const own = drawn.filter((one) => rowOf(one) === row);
    const names = [...new Set(own.map(({ name }) => name))];
    const curves = (of: (one: AppendMeasured) => number | null): Curve[] =>
      names.map((name) => ({
        name,
        points: own.flatMap((one) => {
          const value = one.name === name ? of(one) : null;
          return value === null ? [] : [[one.bytes, value] as const];
        }),
      }));
    const factor = (one: AppendMeasured) => {
      const rival = rivalOf(measured, one);
      return rival === null || one.name.startsWith("C") ? null : rival.ns / one.ns;
    };
    const bandwidth = {
      title: `${row}: bandwidth of a writer`,
      curves: curves(bandwidthOf),
      valueText: (value: number) => `${bytesText(value)}/s`,
    };
    const factors = { title: `${row}: factor over C`, curves: curves(factor), valueText: factorText };
    return {
      names,
      plots: [
        { ...bandwidth, placeText, least: 16 },
        { ...factors, placeText, least: 2 },
      ],
    };
  });
  return plotsSvg("Append by size: bandwidth, and how many times that of an addition and a copy in C", rows);
}

const rowOf = ({ where, writers }: AppendMeasured): string => `${where}, ${writers} writer${writers > 1 ? "s" : ""}`;

const placeText = (bytes: number): string => bytesText(bytes).replace(" ", "").replace("iB", "");

/** A power of two: `1/4 x`, `2 x`. */
const factorText = (value: number): string => (value < 1 ? `1/${1 / value} x` : `${value} x`);

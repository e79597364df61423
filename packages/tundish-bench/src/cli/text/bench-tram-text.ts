/** The benchmarks of TRAM's thesis in the simulator, as text. */

import { bytesText, durationText, percentText, ratioText } from "../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import type { TramCurve, TramFigure, TramFigures, TramPoint } from "../../tram/figures.ts";

const CURVES: readonly TramCurve[] = ["without", "1D", "2D", "3D"];

/** A figure: a line for each place on its axis. */
export function figureText(points: readonly TramPoint[], by: TramFigure["by"]): string {
  const curves = CURVES.filter((curve) => points.some((point) => point.curve === curve));
  const grids = curves.filter((curve) => curve !== "without");
  const compared = curves.filter((curve) => curve !== "1D");
  const rows = linesOf(points, (point) => AXES[by].settings(point).join(" ")).map(([, line]) => [
    ...AXES[by].settings(line[0]),
    ...compared.map((curve) => toTime(line, curve, "1D")),
    ...curves.map((curve) => timeOf(line, curve)),
    ...grids.map((curve) => on(line, curve, ({ perBuffer }) => perBuffer.toFixed(1))),
  ]);
  const head = [...AXES[by].head, ...compared.map((curve) => `${curve} / 1D`), ...curves];
  return tableText([...head, ...grids.map((curve) => `a buffer: ${curve}`)], rows, []);
}

const bufferSettings = ({ bufferBytes, threshold }: TramPoint): string[] => [
  bytesText(Math.round(bufferBytes * threshold)),
  bytesText(bufferBytes),
];
const AXES: Readonly<
  Record<TramFigure["by"], { readonly head: readonly string[]; readonly settings: (point: TramPoint) => string[] }>
> = {
  bytes: { head: ["bytes"], settings: ({ bytes }) => [String(bytes)] },
  PEs: { head: ["PEs"], settings: ({ pes }) => [String(pes)] },
  buffer: { head: ["effective", "buffer"], settings: bufferSettings },
};

/** The thresholds, cutoffs and timeouts: a line for each setting. */
const gridRows = (points: readonly TramPoint[], settings: (point: TramPoint) => readonly string[]): string[][] =>
  linesOf(points, (point) => settings(point).join(" ")).map(([, line]) => [
    ...settings(line[0]),
    toTime(line, "2D", "1D"),
    ...(["1D", "2D"] as const).map((curve) => timeOf(line, curve)),
    ...(["1D", "2D"] as const).map((curve) => on(line, curve, ({ perBuffer }) => perBuffer.toFixed(1))),
    ...(["1D", "2D"] as const).map((curve) => on(line, curve, ({ late }) => (late === null ? "-" : percentText(late)))),
  ]);
const GRIDS = ["2D / 1D", "1D", "2D", "a buffer: 1D", "2D", "by timeout: 1D", "2D"];

/** Several buffers and thresholds with the same effective size. */
export const byThresholdText = ({ byThreshold }: TramFigures): string =>
  tableText(
    ["effective", "buffer", "threshold", ...GRIDS],
    gridRows(byThreshold, (point) => [...bufferSettings(point), String(point.threshold)]),
    [],
  );

/** Cutoffs of one buffer. */
export const byCutoffText = ({ byCutoff }: TramFigures): string =>
  tableText(
    ["cutoff", "longest", ...GRIDS],
    gridRows(byCutoff, ({ cutoff, bufferBytes }) => [
      String(cutoff),
      bytesText(Math.floor((cutoff ?? 1) * bufferBytes)),
    ]),
    [],
  );

/** Timeouts. */
export const byTimeoutText = ({ byTimeout }: TramFigures): string =>
  tableText(
    ["timeout", ...GRIDS],
    gridRows(byTimeout, ({ timeout }) => [durationText(timeout * 1e6)]),
    [],
  );

/** Sizes below those of the thesis, and values that it does not give. */
export const assumedText = ({ messages, alpha, assumed }: TramFigures): string =>
  [
    `messages: ${messages} of each pair, not 10^6 (figures 5.1, 5.5) or 10^5 (5.2, 5.7), which would take days to simulate; LeanMD makes 5 steps, not 100`,
    `alpha: ${durationText(alpha)} of a message, half of it at each end; ${assumed.alpha}`,
    ...Object.entries(assumed)
      .filter(([name]) => name !== "alpha")
      .map(([name, reason]) => `${name}: ${reason}`),
  ].join("\n");

/** Points by what they have in common, in order. */
function linesOf(
  points: readonly TramPoint[],
  keyOf: (point: TramPoint) => string,
): (readonly [string, TramPoint[]])[] {
  return [...new Set(points.map(keyOf))].map((key) => [key, points.filter((point) => keyOf(point) === key)] as const);
}

function on(points: readonly TramPoint[], curve: TramCurve, text: (point: TramPoint) => string): string {
  const point = points.find((one) => one.curve === curve);
  return point === undefined ? "-" : text(point);
}

const timeOf = (points: readonly TramPoint[], curve: TramCurve): string =>
  on(points, curve, ({ time }) => durationText(time));

const toTime = (points: readonly TramPoint[], curve: TramCurve, base: TramCurve): string =>
  on(points, curve, ({ time }) => on(points, base, (other) => (other.time > 0 ? ratioText(time / other.time) : "-")));

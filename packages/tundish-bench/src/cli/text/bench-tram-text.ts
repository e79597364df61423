/** The synthetic benchmark of TRAM's thesis in the simulator, as text. */

import { bytesText, durationText, percentText, ratioText } from "../../../../../src/ground/base/units.ts";
import { tableText } from "../../../../../src/interface/cli/text/table.ts";
import type { TramClaim } from "../../tram/claims.ts";
import type { TramCurve, TramFigures, TramPoint } from "../../tram/figures.ts";

/** Figure 5.5: a line for each number of PEs. */
export function byPesText({ byPes }: TramFigures): string {
  const rows = linesOf(byPes, ({ pes }) => String(pes)).map(([pes, points]) => [
    pes,
    ...(["without", "2D", "3D"] as const).map((curve) => toTime(points, curve, "1D")),
    ...(["without", "1D", "2D", "3D"] as const).map((curve) => timeOf(points, curve)),
  ]);
  return tableText(["PEs", "without / 1D", "2D / 1D", "3D / 1D", "without", "1D", "2D", "3D"], rows, []);
}

/** Figure 5.7, the thresholds and the timeouts: a line for each setting. */
const gridRows = (points: readonly TramPoint[], settings: (point: TramPoint) => readonly string[]): string[][] =>
  linesOf(points, (point) => settings(point).join(" ")).map(([, line]) => [
    ...settings(line[0]),
    toTime(line, "2D", "1D"),
    ...(["1D", "2D"] as const).map((curve) => timeOf(line, curve)),
    ...(["1D", "2D"] as const).map((curve) => on(line, curve, ({ perBuffer }) => perBuffer.toFixed(1))),
    ...(["1D", "2D"] as const).map((curve) => on(line, curve, ({ late }) => percentText(late))),
  ]);
const GRIDS = ["2D / 1D", "1D", "2D", "a buffer: 1D", "2D", "by timeout: 1D", "2D"];

/** Figure 5.7. */
export const byBufferText = ({ byBuffer }: TramFigures): string =>
  tableText(["effective", "buffer", ...GRIDS], gridRows(byBuffer, bufferSettings), []);

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

/** A line for each sentence of the thesis, with its numbers below. */
export const claimsText = (claims: readonly TramClaim[]): string =>
  claims
    .map(
      ({ place, claim, agrees, numbers }) =>
        `${agrees ? "agrees" : "differs"}  ${place}: ${claim}\n         ${numbers}`,
    )
    .join("\n");

/** Sizes below those of the thesis, and values that it does not give. */
export const assumedText = ({ messages, alpha, assumed }: TramFigures): string =>
  [
    `messages: ${messages} of each pair, not 10^6 (figure 5.5) or 10^5 (figure 5.7), which would take days to simulate`,
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

const bufferSettings = ({ bufferBytes, threshold }: TramPoint): string[] => [
  bytesText(Math.round(bufferBytes * threshold)),
  bytesText(bufferBytes),
];

/** Points of curves beside each other, for the statements of TRAM's thesis. */

import { bytesText, percentText, ratioText } from "../../../../src/ground/base/units.ts";
import { type Claim, NEAR } from "../claims/claim.ts";
import type { TramCurve, TramPoint } from "./figures.ts";

/** How many times as high one curve is as another, at a point of the first. */
export interface RatioAt {
  readonly at: TramPoint;
  readonly ratio: number;
}

/** From this ratio on a difference is noticeable, or large. */
export const NOTICEABLE = 1.1;
export const LARGE = 1.5;

export const of = (points: readonly TramPoint[], curve: TramCurve): TramPoint[] =>
  points.filter((point) => point.curve === curve);

/** Where one curve is how many times as high as another, at the same bytes, PEs and effective buffers. */
export const ratios = (points: readonly TramPoint[], upper: TramCurve, lower: TramCurve): RatioAt[] =>
  of(points, upper).flatMap((at) => {
    const other = of(points, lower).find(
      ({ pes, bytes, bufferBytes }) =>
        pes === at.pes && bytes === at.bytes && (at.bufferBytes === 0 || bufferBytes === at.bufferBytes),
    );
    return other === undefined ? [] : [{ at, ratio: at.time / other.time }];
  });

/** Without aggregation by each of the grids, so above 1 where these are faster. */
export const gains = (points: readonly TramPoint[], grids: readonly TramCurve[] = ["1D", "2D"]): RatioAt[] =>
  grids.flatMap((grid) => ratios(points, "without", grid).map((one) => ({ ...one, curve: grid })));

export const effectiveText = ({ bufferBytes, threshold }: TramPoint): string =>
  bytesText(Math.round(bufferBytes * threshold));

/** `1.50 x at 4`, by what the points differ in. */
const listed = (found: readonly RatioAt[], place: (at: TramPoint) => string): string =>
  found.map(({ at, ratio }) => `${ratioText(ratio)} at ${place(at)}`).join(", ");
export const byPesText = (found: readonly RatioAt[]): string => listed(found, ({ pes }) => String(pes));
export const byBytesText = (found: readonly RatioAt[]): string => listed(found, ({ bytes }) => bytesText(bytes));
export const byEffectiveText = (found: readonly RatioAt[]): string => listed(found, effectiveText);

/** By each of two grids. */
export const gainsText = (points: readonly TramPoint[]): string =>
  (["1D", "2D"] as const).map((grid) => `without / ${grid}: ${byPesText(ratios(points, "without", grid))}`).join("; ");

/** How far the longest time is above the shortest. */
export function offOf(points: readonly TramPoint[]): number {
  const times = points.map(({ time }) => time);
  return Math.max(...times) / Math.min(...times) - 1;
}

/** The times of each curve differ by no more than {@link NEAR}. */
export function spread(place: string, claim: string, points: readonly TramPoint[]): Claim {
  const found = (["1D", "2D"] as const).map((curve) => ({ curve, off: offOf(of(points, curve)) }));
  return {
    place,
    claim,
    agrees: found.every(({ off }) => off <= NEAR),
    numbers: `longest above shortest: ${found.map(({ curve, off }) => `${curve} ${percentText(off)}`).join(", ")}`,
  };
}

/** The fastest point of a curve. */
export const bestOf = (points: readonly TramPoint[]): TramPoint => points.reduce((a, b) => (b.time < a.time ? b : a));

/** The statements of sections 5.4 and 5.5 of TRAM's thesis, of RandomAccess and LeanMD: figures 5.9 to 5.12. */
import { ratioText } from "../../../../src/ground/base/units.ts";
import { type Claim, NEAR } from "../claims/claim.ts";
import type { TramCurve, TramFigures, TramPoint } from "./figures.ts";
import { bestOf, byPesText, effectiveText, gains, gainsText, LARGE, NOTICEABLE, of, ratios } from "./points.ts";

/** Curves are very similar, and one is slightly better, up to this ratio. */
const SIMILAR = 1.2;
/** A modest gain is no larger. */
const MODEST = 2;
/** What grows with the square root of the number of PEs has an exponent of no more than this, as it is of few PEs. */
const ROOT = 0.6;

/** All of them. */
export function claimsOfPrograms({ drawn, larger, switched }: TramFigures): Claim[] {
  const [summit, stampede, byBuffer, atoms] = [drawn["5.9"], drawn["5.10"], drawn["5.11"], drawn["5.12"]];
  return [
    fewer(summit),
    best2D(summit, switched.sparse),
    faster("5.9", "1D and 2D are significantly faster than without aggregation", summit, LARGE),
    faster("5.10", "aggregation is faster", stampede, 1 + NEAR),
    scales(stampede),
    similar(stampede),
    best1D(stampede),
    gap("Summit", summit, larger.Summit),
    gap("Stampede2", stampede, larger.Stampede2),
    ...(["1D", "2D"] as const).map((curve) => smaller(byBuffer, curve)),
    faster("5.12", "1D and 2D are faster beyond doubt", atoms, NOTICEABLE),
    modest(atoms),
    slightly(atoms),
  ];
}

const text2D = (points: readonly TramPoint[]): string => `2D / 1D: ${byPesText(ratios(points, "2D", "1D"))}`;
const last = (points: readonly TramPoint[], upper: TramCurve, lower: TramCurve): number =>
  ratios(points, upper, lower).at(-1)?.ratio ?? Number.NaN;

/** Section 2.1: O(P) and O(sqrt P), by the two largest numbers of PEs whose grids are squares. */
function fewer(points: readonly TramPoint[]): Claim {
  const [line, square] = (["1D", "2D"] as const).map((curve) => {
    const [a, b] = of(points, curve)
      .filter(({ pes }) => Math.sqrt(pes) % 1 === 0)
      .slice(-2);
    return {
      n: Math.log(b.buffers / a.buffers) / Math.log(b.pes / a.pes),
      from: a.pes,
      buffers: b.buffers,
      pes: b.pes,
    };
  });
  return {
    place: "2.1",
    claim: "a 2D grid reduces the messages that a PE sends from O(P) to O(sqrt P)",
    agrees: square.n <= ROOT && line.n > square.n && square.buffers < line.buffers,
    numbers: `RandomAccess: as P^${line.n.toFixed(2)} in 1D, P^${square.n.toFixed(2)} in 2D from ${line.from} PEs; ${line.buffers.toFixed(1)} and ${square.buffers.toFixed(1)} on ${line.pes} PEs`,
  };
}

const best2D = (points: readonly TramPoint[], sparse: readonly TramPoint[]): Claim => ({
  place: "5.9",
  claim: "2D is best: faster than 1D at the largest number of PEs",
  agrees: last(points, "2D", "1D") < 1 - NEAR,
  numbers: `${text2D(points)}; with a sixteenth of the table ${text2D(sparse)}`,
});

const faster = (place: string, claim: string, points: readonly TramPoint[], factor: number): Claim => ({
  place,
  claim,
  agrees: gains(points).every(({ ratio }) => ratio >= factor),
  numbers: gainsText(points),
});

/** From the fewest PEs that all curves have to the most. */
function scales(points: readonly TramPoint[]): Claim {
  const from = of(points, "2D")[0].pes;
  const found = (["without", "1D", "2D"] as const).map((curve) => {
    const own = of(points, curve).filter(({ pes }) => pes >= from);
    return { curve, pes: own[own.length - 1].pes, ratio: own[0].time / own[own.length - 1].time };
  });
  const [without, ...grids] = found;
  return {
    place: "5.10",
    claim: "aggregation scales better",
    agrees: grids.every(({ ratio }) => ratio > without.ratio * (1 + NEAR)),
    numbers: `as fast on ${without.pes} PEs as on ${from}: ${found.map(({ curve, ratio }) => `${curve} ${ratioText(ratio)}`).join(", ")}`,
  };
}

const similar = (points: readonly TramPoint[]): Claim => ({
  place: "5.10",
  claim: "1D and 2D are very similar",
  agrees: ratios(points, "2D", "1D").every(({ ratio }) => ratio <= SIMILAR && ratio >= 1 / SIMILAR),
  numbers: text2D(points),
});

const best1D = (points: readonly TramPoint[]): Claim => ({
  place: "5.10",
  claim: "1D is faster as the number of PEs goes up",
  agrees: last(points, "2D", "1D") > 1 + NEAR,
  numbers: text2D(points),
});

/** By the faster grid. */
function gap(machine: string, points: readonly TramPoint[], more: readonly TramPoint[]): Claim {
  const found = (["1D", "2D"] as const).map((grid) => ({
    grid,
    small: last(points, "without", grid),
    large: last(more, "without", grid),
  }));
  const most = (of: "small" | "large") => Math.max(...found.map((one) => one[of]));
  return {
    place: "5.4.1",
    claim: `${machine}: with a larger table aggregation is further ahead`,
    agrees: most("large") > most("small") * (1 + NEAR),
    numbers: `without / with, table of four times the size: ${found.map(({ grid, small, large }) => `${grid} ${ratioText(small)}, ${ratioText(large)}`).join("; ")}`,
  };
}

/** The best size is in the smaller half. */
function smaller(points: readonly TramPoint[], curve: TramCurve): Claim {
  const own = of(points, curve);
  const best = bestOf(own);
  return {
    place: "5.11",
    claim: `${curve}: smaller buffers are fastest`,
    agrees: own.indexOf(best) < own.length / 2 && own[own.length - 1].time > best.time * (1 + NEAR),
    numbers: `as long as the best: ${own.map((one) => `${effectiveText(one)} ${ratioText(one.time / best.time)}`).join(", ")}`,
  };
}

const modest = (points: readonly TramPoint[]): Claim => ({
  place: "5.12",
  claim: "the gain is modest",
  agrees: gains(points).every(({ ratio }) => ratio <= MODEST),
  numbers: gainsText(points),
});

const slightly = (points: readonly TramPoint[]): Claim => ({
  place: "5.12",
  claim: "1D is slightly faster than 2D",
  agrees: last(points, "2D", "1D") > 1 + NEAR && last(points, "2D", "1D") <= SIMILAR,
  numbers: text2D(points),
});

/**
 * The statements of section 5.3 of TRAM's thesis about figures 5.5 and 5.7, of threshold, cutoff and timeout, and
 * whether the simulator agrees.
 */
import { bytesText, durationText, percentText, ratioText } from "../../../../src/ground/base/units.ts";
import type { TramCurve, TramFigures, TramPoint } from "./figures.ts";

/** A sentence of the thesis. */
export interface TramClaim {
  /** Of the thesis: `5.5`, `5.7`, or `5.3` for its text. */
  readonly place: string;
  readonly claim: string;
  readonly agrees: boolean;
  /** The values it was judged by. */
  readonly numbers: string;
}

/** Times as near as this are the same. */
const NEAR = 0.02;
/** Largest exponent of a growth that is roughly linear. */
const LINEAR = 1.2;
/** An exponent is larger than another from this difference on. */
const STEEPER = 0.1;
/**
 * The statement of section 5.3 about figure 5.5: more than half an hour, ns, for 10^6 messages of a pair, on more PEs
 * than these.
 */
const HALF_AN_HOUR = 1800e9;
const THESIS_MESSAGES = 1e6;
const MOST_IN_TIME = 16;

/** All sentences. */
export function claimsOf(figures: TramFigures): TramClaim[] {
  const { byPes, byBuffer, byThreshold, byCutoff, byTimeout, messageBytes } = figures;
  return [
    slowest(byPes),
    bestGrid(byPes),
    ...(["1D", "2D"] as const).map((curve) => linear(byPes, curve)),
    steeper(byPes),
    halfAnHour(byPes),
    faster(byBuffer),
    ...(["1D", "2D"] as const).map((curve) => smaller(byBuffer, curve)),
    sameEffective(byThreshold),
    spread(
      "the cutoff is mostly irrelevant with small messages, if they are not longer than it",
      byCutoff.filter(({ cutoff, bufferBytes }) => (cutoff ?? 1) * bufferBytes >= messageBytes),
    ),
    spread("the timeout is relevant only at boundaries of an exchange: it changes the time little", byTimeout),
  ];
}

const of = (points: readonly TramPoint[], curve: TramCurve): TramPoint[] =>
  points.filter((point) => point.curve === curve);

/** Where one curve is how many times as high as another, by number of PEs or by effective buffer. */
function ratios(
  points: readonly TramPoint[],
  upper: TramCurve,
  lower: TramCurve,
): { readonly at: TramPoint; readonly ratio: number }[] {
  return of(points, upper).flatMap((at) => {
    const other = of(points, lower).find(
      ({ pes, bufferBytes }) => pes === at.pes && (at.bufferBytes === 0 || bufferBytes === at.bufferBytes),
    );
    return other === undefined ? [] : [{ at, ratio: at.time / other.time }];
  });
}

/** Without aggregation is the slowest, wherever the thesis has it and beyond. */
function slowest(points: readonly TramPoint[]): TramClaim {
  const found = of(points, "without").map((at) => {
    const grids = points.filter(({ pes, curve }) => pes === at.pes && curve !== "without");
    return { at, ratio: at.time / Math.max(...grids.map(({ time }) => time)) };
  });
  // from the first number of PEs on after which it is never faster
  const last = found.findLastIndex(({ ratio }) => ratio < 1 + NEAR);
  const from = found[last + 1]?.at.pes;
  return {
    place: "5.5",
    claim: "the execution without aggregation is the slowest at every number of PEs",
    agrees: last === -1,
    numbers:
      `its time / that of the slowest grid: ${byPesText(found)}` +
      (from === undefined ? "; never for good" : `; the slowest from ${from} PEs on`),
  };
}

/** The thesis has 1D and 2D; the largest number of PEs decides. */
function bestGrid(points: readonly TramPoint[]): TramClaim {
  const found = ratios(points, "2D", "1D");
  return {
    place: "5.5",
    claim: "2D is best: faster than 1D at the largest number of PEs",
    agrees: (found.at(-1)?.ratio ?? Number.NaN) < 1 - NEAR,
    numbers: `2D / 1D: ${byPesText(found)}; 3D / 1D: ${byPesText(ratios(points, "3D", "1D"))}`,
  };
}

/**
 * Exponent of the growth with the number of other PEs, between the two largest numbers of PEs, where timeouts count
 * least.
 */
function growth(points: readonly TramPoint[], curve: TramCurve): { from: number; to: number; n: number } {
  const [first, last] = of(points, curve).slice(-2);
  const n = Math.log(last.time / first.time) / Math.log((last.pes - 1) / (first.pes - 1));
  return { from: first.pes, to: last.pes, n };
}

function linear(points: readonly TramPoint[], curve: TramCurve): TramClaim {
  const { from, to, n } = growth(points, curve);
  return {
    place: "5.5",
    claim: `${curve} scales well: its time grows roughly linearly with the number of PEs, or less`,
    agrees: n <= LINEAR,
    numbers: `as (P - 1)^${n.toFixed(2)} from ${from} to ${to} PEs; at most ${LINEAR}`,
  };
}

function steeper(points: readonly TramPoint[]): TramClaim {
  const [without, grid] = [growth(points, "without"), growth(points, "1D")];
  return {
    place: "5.5",
    claim: "without aggregation the time grows faster with the number of PEs than with it",
    agrees: without.n > grid.n + STEEPER,
    numbers: `as (P - 1)^${without.n.toFixed(2)} without, (P - 1)^${grid.n.toFixed(2)} in 1D, from ${grid.from} to ${grid.to} PEs`,
  };
}

function halfAnHour(points: readonly TramPoint[]): TramClaim {
  const found = of(points, "without").map(({ pes, perMessage }) => ({
    pes,
    time: perMessage * THESIS_MESSAGES * (pes - 1),
  }));
  const numbers = found.map(({ pes, time }) => `${durationText(time)} at ${pes} PEs`).join(", ");
  return {
    place: "5.5",
    claim: "without aggregation 10^6 messages of each pair take more than half an hour on more than 16 PEs",
    agrees:
      found.some(({ pes }) => pes > MOST_IN_TIME) &&
      found.every(({ pes, time }) => pes <= MOST_IN_TIME || time > HALF_AN_HOUR),
    numbers: `scaled up: ${numbers}`,
  };
}

function faster(points: readonly TramPoint[]): TramClaim {
  const found = ratios(points, "2D", "1D");
  return {
    place: "5.7",
    claim: "2D is faster than 1D at every effective buffer size",
    agrees: found.every(({ ratio }) => ratio < 1 - NEAR),
    numbers: `2D / 1D: ${found.map(({ at, ratio }) => `${ratioText(ratio)} at ${effectiveText(at)}`).join(", ")}`,
  };
}

/** The best size is neither the smallest nor the largest. */
function smaller(points: readonly TramPoint[], curve: TramCurve): TramClaim {
  const own = of(points, curve);
  const best = own.reduce((a, b) => (b.time < a.time ? b : a));
  const relative = (at: TramPoint | undefined) =>
    at === undefined ? "-" : `${effectiveText(at)} ${ratioText(at.time / best.time)}`;
  const [first, last] = [own[0], own[own.length - 1]];
  return {
    place: "5.7",
    claim: `${curve}: a smaller effective buffer is faster, up to a point`,
    agrees: first.time > best.time * (1 + NEAR) && last.time > best.time * (1 + NEAR),
    numbers: `best ${effectiveText(best)}; as long as it: ${relative(first)}, ${relative(last)}`,
  };
}

function sameEffective(points: readonly TramPoint[]): TramClaim {
  const groups = new Map<string, number[]>();
  for (const point of points) {
    const key = `${point.curve} ${effectiveText(point)}`;
    groups.set(key, [...(groups.get(key) ?? []), point.time]);
  }
  const found = [...groups].map(([key, times]) => ({
    key,
    off: Math.max(...times) / Math.min(...times) - 1,
  }));
  return {
    place: "5.3",
    claim: "what counts is the effective buffer size, however buffer and threshold make it up",
    agrees: found.every(({ off }) => off <= NEAR),
    numbers: `longest above shortest: ${found.map(({ key, off }) => `${key} ${percentText(off)}`).join(", ")}`,
  };
}

/** The times of a curve differ by no more than {@link NEAR}. */
function spread(claim: string, points: readonly TramPoint[]): TramClaim {
  const found = (["1D", "2D"] as const).map((curve) => {
    const times = of(points, curve).map(({ time }) => time);
    return { curve, off: Math.max(...times) / Math.min(...times) - 1 };
  });
  return {
    place: "5.3",
    claim,
    agrees: found.every(({ off }) => off <= NEAR),
    numbers: `longest above shortest: ${found.map(({ curve, off }) => `${curve} ${percentText(off)}`).join(", ")}`,
  };
}

const effectiveText = ({ bufferBytes, threshold }: TramPoint): string => bytesText(Math.round(bufferBytes * threshold));

const byPesText = (found: readonly { readonly at: TramPoint; readonly ratio: number }[]): string =>
  found.map(({ at, ratio }) => `${ratioText(ratio)} at ${at.pes}`).join(", ");

/**
 * The statements of section 5.3 of TRAM's thesis about figures 5.5 to 5.8, of threshold, cutoff and timeout, and
 * whether the simulator agrees; then those of all other sections.
 */
import { durationText, percentText, ratioText } from "../../../../src/ground/base/units.ts";
import { type Claim, NEAR } from "../claims/claim.ts";
import { claimsOfPrograms } from "./claims-programs.ts";
import { claimsOfStreams } from "./claims-streams.ts";
import type { TramCurve, TramFigures, TramPoint } from "./figures.ts";
import {
  bestOf,
  byEffectiveText,
  byPesText,
  effectiveText,
  gains,
  gainsText,
  LARGE,
  of,
  offOf,
  ratios,
  spread,
} from "./points.ts";

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

/** A slowdown is drastic from this ratio on. */
const DRASTIC = 5;
/** The first number of PEs with two digits. */
const TWO_DIGITS = 10;
/** Bytes of a small buffer, and how much of the gain "a lot" of it is. */
const SMALL_BUFFER = 2048;
const LOT = 0.5;

/** All sentences. */
export function claimsOf(figures: TramFigures): Claim[] {
  const { drawn, byThreshold, byCutoff, byTimeout, messageBytes, switched } = figures;
  const [byPes, byPes2, byBuffer, byBuffer2] = [drawn["5.5"], drawn["5.6"], drawn["5.7"], drawn["5.8"]];
  return [
    ...claimsOfStreams(figures),
    ahead(figures),
    slowest(byPes),
    bestGrid(byPes, switched.narrow),
    ...(["1D", "2D"] as const).map((curve) => linear(byPes, curve)),
    steeper(byPes),
    halfAnHour(byPes),
    significant(byPes2),
    drastic(byPes2),
    faster(byBuffer),
    ...(["1D", "2D"] as const).map((curve) => smaller(byBuffer, curve)),
    alike(byBuffer, byBuffer2),
    alot(byBuffer2, byPes2),
    sameEffective(byThreshold),
    spread(
      "5.3",
      "the cutoff is mostly irrelevant with small messages, if they are not longer than it",
      byCutoff.filter(({ cutoff, bufferBytes }) => (cutoff ?? 1) * bufferBytes >= messageBytes),
    ),
    spread("5.3", "the timeout is relevant only at boundaries of an exchange: it changes the time little", byTimeout),
    ...claimsOfPrograms(figures),
  ];
}

/** Chapter 5, of all figures of Stampede2 that have a curve without aggregation. */
function ahead({ drawn }: TramFigures): Claim {
  const found = (["5.2", "5.4", "5.6", "5.10"] as const).map((name) => ({
    name,
    least: Math.min(...gains(drawn[name]).map(({ ratio }) => ratio)),
  }));
  return {
    place: "5",
    claim: "with a communication thread (Stampede2) aggregation is faster across the board",
    agrees: found.every(({ least }) => least >= 1 + NEAR),
    numbers: `least without / with: ${found.map(({ name, least }) => `${ratioText(least)} in ${name}`).join(", ")}`,
  };
}

/** Without aggregation is the slowest, wherever the thesis has it and beyond. */
function slowest(points: readonly TramPoint[]): Claim {
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
function bestGrid(points: readonly TramPoint[], narrow: readonly TramPoint[]): Claim {
  const found = ratios(points, "2D", "1D");
  return {
    place: "5.5",
    claim: "2D is best: faster than 1D at the largest number of PEs",
    agrees: (found.at(-1)?.ratio ?? Number.NaN) < 1 - NEAR,
    numbers:
      `2D / 1D: ${byPesText(found)}; 3D / 1D: ${byPesText(ratios(points, "3D", "1D"))}; ` +
      `with windows of a tenth, 2D / 1D: ${byPesText(ratios(narrow, "2D", "1D"))}`,
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

function linear(points: readonly TramPoint[], curve: TramCurve): Claim {
  const { from, to, n } = growth(points, curve);
  return {
    place: "5.5",
    claim: `${curve} scales well: its time grows roughly linearly with the number of PEs, or less`,
    agrees: n <= LINEAR,
    numbers: `as (P - 1)^${n.toFixed(2)} from ${from} to ${to} PEs; at most ${LINEAR}`,
  };
}

function steeper(points: readonly TramPoint[]): Claim {
  const [without, grid] = [growth(points, "without"), growth(points, "1D")];
  return {
    place: "5.5",
    claim: "without aggregation the time grows faster with the number of PEs than with it",
    agrees: without.n > grid.n + STEEPER,
    numbers: `as (P - 1)^${without.n.toFixed(2)} without, (P - 1)^${grid.n.toFixed(2)} in 1D, from ${grid.from} to ${grid.to} PEs`,
  };
}

function halfAnHour(points: readonly TramPoint[]): Claim {
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

function faster(points: readonly TramPoint[]): Claim {
  const found = ratios(points, "2D", "1D");
  return {
    place: "5.7",
    claim: "2D is faster than 1D at every effective buffer size",
    agrees: found.every(({ ratio }) => ratio < 1 - NEAR),
    numbers: `2D / 1D: ${byEffectiveText(found)}`,
  };
}

/** The best size is neither the smallest nor the largest. */
function smaller(points: readonly TramPoint[], curve: TramCurve): Claim {
  const own = of(points, curve);
  const best = bestOf(own);
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

function sameEffective(points: readonly TramPoint[]): Claim {
  const keyOf = (point: TramPoint) => `${point.curve} ${effectiveText(point)}`;
  const found = [...new Set(points.map(keyOf))].map((key) => ({
    key,
    off: offOf(points.filter((point) => keyOf(point) === key)),
  }));
  return {
    place: "5.3",
    claim: "what counts is the effective buffer size, however buffer and threshold make it up",
    agrees: found.every(({ off }) => off <= NEAR),
    numbers: `longest above shortest: ${found.map(({ key, off }) => `${key} ${percentText(off)}`).join(", ")}`,
  };
}

const significant = (points: readonly TramPoint[]): Claim => ({
  place: "5.6",
  claim: "aggregation is significantly faster",
  agrees: gains(points).every(({ ratio }) => ratio >= LARGE),
  numbers: gainsText(points),
});

function drastic(points: readonly TramPoint[]): Claim {
  const found = gains(points).filter(({ at }) => at.pes >= TWO_DIGITS);
  return {
    place: "5.6",
    claim: "without aggregation there are drastic slowdowns already from 10 PEs on",
    agrees: found.length > 0 && found.every(({ ratio }) => ratio >= DRASTIC),
    numbers: `least without / with: ${ratioText(Math.min(...found.map(({ ratio }) => ratio)))}; at least ${ratioText(DRASTIC)}`,
  };
}

/** Which grid is faster at each size, and the best size of each, up to a factor of two. */
function alike(summit: readonly TramPoint[], stampede: readonly TramPoint[]): Claim {
  const [a, b] = [summit, stampede].map((points) => ratios(points, "2D", "1D"));
  const best = (["1D", "2D"] as const).map((curve) => {
    const [one, other] = [summit, stampede].map((points) => bestOf(of(points, curve)));
    return { curve, one, other };
  });
  return {
    place: "5.8",
    claim: "the results agree with those of figure 5.7",
    agrees:
      a.every(({ ratio }, i) => ratio < 1 === b[i].ratio < 1) &&
      best.every(({ one, other }) => Math.abs(Math.log2(one.bufferBytes / other.bufferBytes)) <= 1),
    numbers:
      `2D / 1D on Stampede2: ${byEffectiveText(b)}; best size on Summit and Stampede2: ` +
      best.map(({ curve, one, other }) => `${curve} ${effectiveText(one)}, ${effectiveText(other)}`).join("; "),
  };
}

/** Of the time that the best size saves against no aggregation, the part that small buffers save. */
function alot(points: readonly TramPoint[], byPes: readonly TramPoint[]): Claim {
  const found = (["1D", "2D"] as const).map((curve) => {
    const own = of(points, curve);
    const small = own.filter(({ bufferBytes, threshold }) => bufferBytes * threshold <= SMALL_BUFFER);
    const { time } = of(byPes, "without").find(({ pes }) => pes === own[0].pes) as TramPoint;
    return { curve, part: (time - bestOf(small).time) / (time - bestOf(own).time) };
  });
  return {
    place: "5.8",
    claim: "a lot of the gain is achieved with small buffers",
    agrees: found.every(({ part }) => part >= LOT),
    numbers: `with up to 2 KiB, of the time saved by the best: ${found.map(({ curve, part }) => `${curve} ${percentText(part)}`).join(", ")}; at least ${percentText(LOT)}`,
  };
}

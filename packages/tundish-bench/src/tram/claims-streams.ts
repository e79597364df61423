/** The statements of sections 5.1 and 5.2 of TRAM's thesis, of streams between two PEs: figures 5.1 to 5.4. */
import { durationText, percentText } from "../../../../src/ground/base/units.ts";
import { type Claim, NEAR } from "../claims/claim.ts";
import type { TramFigures, TramPoint } from "./figures.ts";
import { TIMEOUT } from "./model.ts";
import { byBytesText, gains, LARGE, NOTICEABLE, of, offOf, type RatioAt } from "./points.ts";

/** The time without aggregation changes by no more than this with the size of messages. */
const LITTLE = 0.25;
/** Bytes of a very small message, and of the largest small one, where curves cross. */
const VERY_SMALL = 100;
const SMALL = 1000;
/** Bytes at which figure 5.4 has twice the time without aggregation, and by how much "around" that may be off. */
const TWICE_AT = 1400;
const AROUND = 0.25;

/** All of them. */
export function claimsOfStreams({ drawn, patient, switched }: TramFigures): Claim[] {
  const [first, second, third, fourth] = [drawn["5.1"], drawn["5.2"], drawn["5.3"], drawn["5.4"]];
  const waiting = (points: readonly TramPoint[]) =>
    `with a timeout of ${durationText(TIMEOUT * 1e6)}: ${byBytesText(gains(points, ["1D"]))}`;
  return [
    unchanged(first),
    worse(first, switched.cheap),
    better("5.1", `very small messages, up to ${VERY_SMALL} B, are noticeably faster`, first, NOTICEABLE, VERY_SMALL),
    better("5.2", "aggregation is significantly faster", second, LARGE),
    better("5.3", `small messages, below ${SMALL} B, are noticeably faster`, third, NOTICEABLE, SMALL - 1),
    crossing(third, waiting(patient.Summit)),
    better("3", `messages of up to ${SMALL} B are faster, with an effective buffer of 10 kB`, third, 1 + NEAR, SMALL),
    better("5.4", `aggregation is faster beyond doubt, also beyond ${SMALL} B`, fourth, NOTICEABLE),
    twice(fourth, waiting(patient.Stampede2)),
  ];
}

function unchanged(points: readonly TramPoint[]): Claim {
  const off = offOf(of(points, "without"));
  return {
    place: "5.1",
    claim: "without aggregation the time changes little with the size of messages",
    agrees: off <= LITTLE,
    numbers: `longest above shortest: ${percentText(off)}; at most ${percentText(LITTLE)}`,
  };
}

const gainsText = (found: readonly RatioAt[]): string => `without / with: ${byBytesText(found)}`;

function worse(points: readonly TramPoint[], cheap: readonly TramPoint[]): Claim {
  const larger = (of: readonly TramPoint[]) => gains(of, ["1D"]).filter(({ at }) => at.bytes > VERY_SMALL);
  const found = larger(points);
  return {
    place: "5.1",
    claim: "larger messages are visibly slower with aggregation",
    agrees: found.every(({ ratio }) => ratio <= 1 / NOTICEABLE),
    numbers: `${gainsText(found)}; with messages for next to nothing: ${byBytesText(larger(cheap))}`,
  };
}

/** Faster by a factor, with messages of up to so many bytes. */
function better(
  place: string,
  claim: string,
  points: readonly TramPoint[],
  factor: number,
  most = Number.POSITIVE_INFINITY,
): Claim {
  const found = gains(points, ["1D"]).filter(({ at }) => at.bytes <= most);
  return { place, claim, agrees: found.every(({ ratio }) => ratio >= factor), numbers: gainsText(found) };
}

/** The first size from which on aggregation is not faster is between the two sizes beside {@link SMALL}. */
function crossing(points: readonly TramPoint[], more: string): Claim {
  const found = gains(points, ["1D"]);
  const sizes = found.map(({ at }) => at.bytes);
  const from = sizes[found.findLastIndex(({ ratio }) => ratio > 1) + 1] ?? Number.POSITIVE_INFINITY;
  const next = sizes.find((bytes) => bytes > SMALL) ?? SMALL;
  return {
    place: "5.3",
    claim: `the curves cross at ${SMALL} B`,
    agrees: from >= SMALL && from <= next,
    numbers: `${gainsText(found)}; ${more}`,
  };
}

function twice(points: readonly TramPoint[], more: string): Claim {
  const found = gains(points, ["1D"]).filter(({ at }) => at.bytes === TWICE_AT);
  return {
    place: "5.4",
    claim: `aggregation is around 2 x as fast at ${TWICE_AT} B`,
    agrees: found.every(({ ratio }) => Math.abs(ratio / 2 - 1) <= AROUND),
    numbers: `${gainsText(found)}; ${more}`,
  };
}

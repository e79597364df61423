/** The statements of Brewer et al. about their figures, and whether the simulator agrees. */
import { bytesText, percentText } from "../../../../src/ground/base/units.ts";
import type { TrafficFigure } from "./figures.ts";
import type { TrafficRun } from "./run.ts";

/** A sentence of the paper. */
export interface FigureCheck {
  readonly figure: number;
  readonly claim: string;
  readonly agrees: boolean;
  /** The values it was judged by. */
  readonly numbers: string;
}

/** "Sufficiently large" are the largest of a figure's block sizes; "all but the smallest" are all but these, too. */
const LARGEST = 1 / 3;
const SMALLEST = 1 / 4;
/** From this size on tokens pass hardware barriers. */
const CROSSING = 1536;
/** Curves that are as near as this are the same. */
const NEAR = 0.02;
const MOST_DENIALS = 0.01;
const MOST = 0.5;
const TENTHS = 10;
const MOST_IDLE = 0.2;

type Check = (figure: TrafficFigure) => FigureCheck;

/** Which block sizes of a figure, bytes, count. */
type Sizes = (bytes: number, figure: TrafficFigure) => boolean;
const ALL: Sizes = () => true;
/** From a part of the sizes on. */
const from =
  (part: number): Sizes =>
  (bytes, { curves: [{ runs }] }) =>
    bytes >= runs[Math.floor(part * runs.length)].blockBytes;
const LARGE = from(1 - LARGEST);
const BUT_SMALLEST = from(SMALLEST);
const TO_CROSSING: Sizes = (bytes) => bytes <= CROSSING;
const FROM_CROSSING: Sizes = (bytes) => bytes >= CROSSING;

/** One curve is at or above another at some sizes. */
const above =
  (claim: string, upper: string, lower: string, sizes: Sizes = ALL): Check =>
  (figure) => {
    const others = runsOf(figure, lower);
    const ratios = runsOf(figure, upper)
      .map(({ blockBytes, bandwidth }, i) => ({ blockBytes, ratio: bandwidth / (others[i]?.bandwidth ?? Number.NaN) }))
      .filter(({ blockBytes }) => sizes(blockBytes, figure));
    return {
      figure: figure.number,
      claim,
      agrees: ratios.every(({ ratio }) => ratio >= 1 - NEAR),
      numbers: `${upper} / ${lower}: ${ratios.map(({ blockBytes, ratio }) => `${ratio.toFixed(2)} at ${bytesText(blockBytes)}`).join(", ")}`,
    };
  };

const denials: Check = (figure) => {
  const shares = runsOf(figure, "dynamic").map(({ blockBytes, counts }) => ({
    blockBytes,
    share: counts.denials / counts.requests,
  }));
  return {
    figure: figure.number,
    claim: "less than 1 % of the requests are denied",
    agrees: shares.every(({ share }) => share < MOST_DENIALS),
    numbers: shares.map(({ blockBytes, share }) => `${percentText(share)} at ${bytesText(blockBytes)}`).join(", "),
  };
};

/** "Most" senders: more than half, in the mean of each tenth of the time but the last, when the phase ends. */
const busy: Check = ({ number, nodes, curves }) => {
  const { senders } = curves[0].runs[0];
  const tenths = Array.from({ length: TENTHS }, (_, i) =>
    meanShare(senders.slice((i * senders.length) / TENTHS, ((i + 1) * senders.length) / TENTHS), nodes),
  );
  return {
    figure: number,
    claim: "most senders are busy for the duration of the phase",
    agrees: tenths.slice(0, -1).every((share) => share > MOST),
    numbers: `in each tenth of the time ${tenths.map(percentText).join(", ")}`,
  };
};

/** "Few idle nodes" (section 4.4), until the first PE has nothing left. */
const fewIdle: Check = ({ number, nodes, curves }) => {
  const { senders, busy: mean } = curves[0].runs[0];
  const share = meanShare(senders.slice(0, Math.ceil(senders.length / 2)), nodes);
  return {
    figure: number,
    claim: "few nodes are idle",
    agrees: share >= 1 - MOST_IDLE,
    numbers: `${percentText(share)} send in the first half of the time, ${percentText(mean)} in all`,
  };
};

const meanShare = (senders: readonly number[], nodes: number): number =>
  senders.reduce((a, b) => a + b, 0) / Math.max(1, senders.length * nodes);

const strategies = [
  above("barriers are above CSHIFT for large blocks", "CSHIFT + barriers", "CSHIFT", LARGE),
  above("interleaving is above random for large blocks", "random interleaved", "random", LARGE),
];
/** Of the machines without barriers in hardware. */
const software = [
  ...strategies,
  above("barriers are above CSHIFT for all but the smallest blocks", "CSHIFT + barriers", "CSHIFT", BUT_SMALLEST),
];
const tokens = [
  above("tokens are at or above software barriers at every size", "tokens", "software barriers"),
  above("tokens are above CSHIFT for large blocks", "tokens", "CSHIFT", LARGE),
];
const dynamic = [
  above("dynamic is above interleaving for large blocks", "dynamic", "random interleaved", LARGE),
  above("dynamic is below CSHIFT with barriers", "CSHIFT + barriers", "dynamic"),
  denials,
  above("tokens, and a barrier every 16 rounds, show promise for large blocks", "dynamic, tokens", "dynamic", LARGE),
];

const CHECKS: Readonly<Record<number, readonly Check[]>> = {
  1: strategies,
  2: software,
  3: software,
  5: [
    ...tokens,
    above("hardware barriers are ahead of tokens up to about 1.5 KB", "hardware barriers", "tokens", TO_CROSSING),
    above("tokens are at or above hardware barriers from there on", "tokens", "hardware barriers", FROM_CROSSING),
  ],
  6: tokens,
  7: tokens,
  8: [above("tokens are above tokens on request", "tokens", "tokens on request")],
  10: dynamic,
  11: dynamic,
  12: [busy, fewIdle],
  13: [busy, fewIdle],
};

function runsOf({ curves }: TrafficFigure, curve: string): readonly TrafficRun[] {
  return curves.find(({ name }) => name === curve)?.runs ?? [];
}

/** All sentences about a figure. */
export const checksOf = (figure: TrafficFigure): FigureCheck[] =>
  (CHECKS[figure.number] ?? []).map((check) => check(figure));

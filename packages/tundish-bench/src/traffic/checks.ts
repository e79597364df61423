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

/** From this size on a block is large; from the other on tokens pass hardware barriers. */
const LARGE = 4096;
const CROSSING = 1536;
/** Curves that are as near as this are the same. */
const NEAR = 0.02;
const MOST_DENIALS = 0.01;
const MOST_IDLE = 0.2;

type Check = (figure: TrafficFigure) => FigureCheck;

/** One curve is at or above another from some size on, below another. */
const above =
  (claim: string, upper: string, lower: string, least = 0, most = Number.POSITIVE_INFINITY): Check =>
  (figure) => {
    const others = runsOf(figure, lower);
    const ratios = runsOf(figure, upper).flatMap(({ blockBytes, bandwidth }, i) =>
      blockBytes < least || blockBytes > most
        ? []
        : [{ blockBytes, ratio: bandwidth / (others[i]?.bandwidth ?? Number.NaN) }],
    );
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

/** Most senders are busy, until the first PE has nothing left. */
const busy: Check = ({ number, nodes, curves }) => {
  const { senders, busy: mean } = curves[0].runs[0];
  const first = senders.slice(0, Math.ceil(senders.length / 2));
  const share = first.reduce((a, b) => a + b, 0) / Math.max(1, first.length * nodes);
  return {
    figure: number,
    claim: "most senders are busy for the duration of the phase",
    agrees: share >= 1 - MOST_IDLE,
    numbers: `${percentText(share)} in the first half of the time, ${percentText(mean)} in all`,
  };
};

const strategies = [
  above("barriers are above CSHIFT for large blocks", "CSHIFT + barriers", "CSHIFT", LARGE),
  above("interleaving is above random for large blocks", "random interleaved", "random", LARGE),
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
  2: strategies,
  3: strategies,
  5: [
    ...tokens,
    above("hardware barriers are ahead of tokens up to about 1.5 KB", "hardware barriers", "tokens", 0, CROSSING),
    above("tokens are at or above hardware barriers from there on", "tokens", "hardware barriers", CROSSING),
  ],
  6: tokens,
  7: tokens,
  8: [above("tokens are above tokens on request", "tokens", "tokens on request")],
  10: dynamic,
  11: dynamic,
  12: [busy],
  13: [busy],
};

function runsOf({ curves }: TrafficFigure, curve: string): readonly TrafficRun[] {
  return curves.find(({ name }) => name === curve)?.runs ?? [];
}

/** All sentences about a figure. */
export const checksOf = (figure: TrafficFigure): FigureCheck[] =>
  (CHECKS[figure.number] ?? []).map((check) => check(figure));

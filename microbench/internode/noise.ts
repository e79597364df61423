/**
 * Figures between nodes that cannot be trusted: whose slices differ too much, or that are far from the line that plans
 * go by. A plan that is made with them is arbitrary.
 *
 * Limits: what varies with the traffic of others for longer than a measurement is not noticed.
 *
 * Example: sizes of 8 bytes to 1 MiB in 20 us each, and one in 2 ms: no line is near it.
 */
import { median } from "../../src/ground/base/math.ts";
import { percentText } from "../../src/ground/base/units.ts";
import { fitLine, fitPieces } from "./fit.ts";
import type { Found } from "./model.ts";
import type { Outcome } from "./slices.ts";
import { type Stage, wordsOf } from "./tasks.ts";

/**
 * Relative interquartile range of the slices of a figure: beyond the first it is measured again, beyond the second it
 * is noisy.
 */
const SPREAD = 0.6;
const MOST_SPREAD = 1;
/** Relative distance of a figure from the line of all sizes, or of its piece, at most. */
const MOST_RESIDUAL = 0.75;

export const isDoubtful = ({ spread }: Outcome): boolean => spread > SPREAD;

/** The stages of lines that do not describe all sizes: the line is wrong, or one of its figures. */
export function farFrom(found: readonly Found[]): ReadonlySet<Stage> {
  return new Set(
    linesIn(found).flatMap(({ of, residual }) => (residual > MOST_RESIDUAL ? of.map(({ stage }) => stage) : [])),
  );
}

/** In words, with how far off they are. */
export function noisyFigures(found: readonly Found[]): string[] {
  return [
    ...middleText(median(found.map(({ spread }) => spread))),
    ...found
      .filter(({ spread }) => spread > MOST_SPREAD)
      .map(({ stage, spread }) => `${wordsOf(stage)}, whose times spread by ${percentText(spread)}`),
    ...linesIn(found)
      .filter(({ residual }) => residual > MOST_RESIDUAL)
      .map(({ name, residual }) => `${name}, whose line by size is off by ${percentText(residual)}`),
  ];
}

const middleText = (spread: number): string[] =>
  spread > SPREAD ? [`half of all figures, whose times spread by ${percentText(spread)} and more`] : [];

interface Line {
  readonly name: string;
  readonly of: readonly Found[];
  readonly residual: number;
}

/** Those of latencies and streams, by the number of PEs. */
function linesIn(found: readonly Found[]): Line[] {
  const lines = new Map<string, Found[]>();
  for (const one of found) {
    const { stage } = one;
    if (!("pes" in stage)) continue;
    const name = wordsOf(stage).replace(/:.*/, "");
    lines.set(name, [...(lines.get(name) ?? []), one]);
  }
  return [...lines].map(([name, of]) => {
    const [sizes, times] = [of.map(({ stage }) => stage.bytes), of.map(({ value }) => value)];
    // of streams plans go by one line
    const pieces = (name.startsWith("latency") && fitPieces(sizes, times)) || [fitLine(sizes, times)];
    return { name, of, residual: Math.max(...pieces.map(({ residual }) => residual.worst)) };
  });
}

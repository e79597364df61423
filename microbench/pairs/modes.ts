/**
 * Distinguishes the passes of a measurement by mode: two CPUs of a virtual machine may be "near" (a round trip of a
 * cache line takes about 105 ns) or "far" (about 500 ns), and this may change within seconds.
 */
import { mean, median } from "../../src/ground/base/math.ts";
import type { Pass } from "./pass.ts";

/** Passes agree if their round trips differ by no more than this, in the median over pairs. */
const AGREE = 0.08;
/** Probes belong to one mode if they differ by no more than this factor. */
const SAME_MODE = 1.3;

/** Whether a probe shows the mode, near or far, whose round trip is `reference`. */
export const isMode = (probe: number, reference: number): boolean =>
  probe <= reference * SAME_MODE && probe * SAME_MODE >= reference;

/** The round trips of two modes of a cache line alone differ by more than this factor. */
const APART = 1.6;

/**
 * The mode of each measurement by the cache-line round trips before and after it: the median round trip of that mode,
 * ns, rounded; null if they are in several. Modes are found by joining the round trips that differ least, as long as
 * the means of both parts differ by no more than {@link APART}.
 *
 * Example: probes of 60 and 45, 110 and 120, 62 and 480, 540 and 510 ns are in the modes 60, 115, none, 510.
 */
export function modesOf(measurements: readonly (readonly number[])[]): (number | null)[] {
  const parts = joinNear(measurements.flat());
  const names = new Map(parts.flatMap((part) => part.map((ns) => [ns, Math.round(median(part))])));
  return measurements.map((probes) => {
    const [first, ...others] = probes.map((ns) => names.get(ns) as number);
    return others.every((name) => name === first) ? first : null;
  });
}

/** The numbers, near ones together. */
function joinNear(numbers: readonly number[]): number[][] {
  // those within two percent are one from the beginning: there may be thousands
  const bins = new Map<number, number[]>();
  for (const ns of numbers) {
    const bin = Math.round(Math.log(ns) / Math.log(1.02));
    const list = bins.get(bin);
    if (list) list.push(ns);
    else bins.set(bin, [ns]);
  }
  const parts = [...bins.values()].map((list) => ({ list, mean: mean(list) })).sort((a, b) => a.mean - b.mean);
  for (;;) {
    let at = 0;
    let least = APART;
    for (let i = 1; i < parts.length; i++) {
      const ratio = parts[i].mean / parts[i - 1].mean;
      if (ratio < least) [at, least] = [i, ratio];
    }
    if (at === 0) return parts.map(({ list }) => list);
    const list = [...parts[at - 1].list, ...parts[at].list];
    parts.splice(at - 1, 2, { list, mean: mean(list) });
  }
}

/** The data of a pass used here. */
type Probed = Pick<Pass, "probe" | "rtt">;

/** Passes whose probes show the same mode, and their spread. */
export interface Mode<P extends Probed> {
  readonly passes: readonly P[];
  /** Median over pairs of the relative spread of the round trip between the passes. */
  readonly spread: number;
}

/** Whether there are enough passes in the mode and they agree. */
export const isStable = (mode: Mode<Probed>, minPasses: number): boolean =>
  mode.passes.length >= minPasses && mode.spread <= AGREE;

/** The largest set of passes whose probes agree; the later one of several, empty if none agree. */
export function inLargestMode<P extends Pick<Pass, "probe">>(all: readonly P[]): readonly P[] {
  let best: readonly P[] = [];
  for (const centre of all) {
    const reference = mean([...centre.probe]);
    const near = all.filter(({ probe }) => probe.every((value) => isMode(value, reference)));
    if (near.length >= best.length && near.length > 0) best = near;
  }
  return best;
}

/** The largest set of passes whose probes agree, and their spread. */
export function largestMode<P extends Probed>(passes: readonly P[]): Mode<P> {
  const best = inLargestMode(passes);
  // no pass has two similar probes: all are used, and reported as noisy
  return best.length > 0 ? { passes: best, spread: spreadOf(best) } : { passes, spread: 1 };
}

function spreadOf(passes: readonly Probed[]): number {
  const spreads: number[] = [];
  passes[0].rtt.forEach((row, i) => {
    row.forEach((_, j) => {
      if (i === j) return;
      const values = passes.map((pass) => pass.rtt[i][j]);
      const middle = median(values);
      spreads.push(median(values.map((value) => Math.abs(value - middle))) / middle);
    });
  });
  return spreads.length > 0 ? median(spreads) : 0;
}

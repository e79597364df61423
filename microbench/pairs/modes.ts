/**
 * Distinguishes the passes of a measurement by mode: two CPUs of a virtual machine may be "near" (a round trip of a
 * cache line takes about 105 ns) or "far" (about 500 ns), and this may change within seconds.
 */
import { mean, median } from "../../src/base/math.ts";
import type { Pass } from "./pass.ts";

/** Passes agree if their round trips differ by no more than this, in the median over pairs. */
const AGREE = 0.08;
/** Probes belong to one mode if they differ by no more than this factor. */
const SAME_MODE = 1.3;

/** Whether a probe shows the mode, near or far, whose round trip is `reference`. */
export const isMode = (probe: number, reference: number): boolean =>
  probe <= reference * SAME_MODE && probe * SAME_MODE >= reference;

/**
 * The mode of each turn of a measurement, by its probes: the median round trip of that mode, ns, rounded; null if the probes of
 * the turn are in several. Modes are found by joining the probes that differ least, as long as the means of both parts
 * differ by no more than {@link SAME_MODE}.
 *
 * Example: probes of 105 and 110, 170 and 180, 108 and 480, 470 and 510 ns are in the modes 108, 175, none, 480.
 */
export function modesOf(turns: readonly (readonly number[])[]): (number | null)[] {
  const joined = joinNear([...turns.flat()].sort((a, b) => a - b).map((ns) => [ns]));
  const names = new Map(joined.flatMap((mode) => mode.map((ns) => [ns, Math.round(median(mode))])));
  return turns.map((probes) => {
    const [first, ...others] = probes.map((ns) => names.get(ns) as number);
    return others.every((name) => name === first) ? first : null;
  });
}

/** Sorted lists of sorted numbers, the nearest ones joined. */
function joinNear(lists: readonly (readonly number[])[]): (readonly number[])[] {
  const parts = lists.map((list) => ({ list, mean: mean([...list]) }));
  for (;;) {
    let at = 0;
    let least = SAME_MODE;
    for (let i = 1; i < parts.length; i++) {
      const [a, b] = [parts[i - 1].mean, parts[i].mean];
      const ratio = a === b ? 1 : b / a; // also of zeros: one CPU has no distance
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

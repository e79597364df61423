/**
 * The option `adapt` beside fixed sizes, on the threads of this machine. The best size is chosen by some rounds, and compared by later ones:
 * the best of many medians is best by its noise, too.
 */
import type { Progress } from "../../microbench/pairs/types.ts";
import { median, medianBetween } from "../../src/base/math.ts";
import { sibling } from "../../src/base/package-file.ts";
import { launch } from "../../src/launch/launch.ts";
import type { AdaptJob, AdaptTimes } from "./adapt.program.ts";
import { type AdaptCase, adaptCases, appFile, SIZES } from "./cases.ts";

/** The comparison for one case. */
export interface JudgedAdapting extends AdaptCase {
  /** Seconds with each size, medians of the rounds by which the best was chosen, in the order of {@link SIZES}. */
  readonly sizes: readonly { readonly bytes: number; readonly seconds: number }[];
  readonly best: number;
  /** Seconds with it and with `adapt`, medians of the rounds by which they were compared. */
  readonly beside: number;
  readonly adapted: number;
  /** Time with `adapt` by that with the best size: the median of the rounds, and between which values it is with a probability of 95 %. */
  readonly ratio: number;
  readonly between: readonly [low: number, high: number];
}

export interface AdaptOptions {
  /** @default 2 */
  readonly pes?: readonly number[] | undefined;
  /** Of each size; six times as many of the best one and `adapt`. @default 30 */
  readonly rounds?: number | undefined;
  readonly quick?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const PAIRS = 6;
const LIMIT_MS = 300_000;
/** Time of a session, and of an item without a gap, ns. */
const SESSION_NS = 4e6;
const ITEM_NS = 150;

/** Measures one case after another. @throws what {@link launch} throws */
export async function measureAdapting(options: AdaptOptions): Promise<JudgedAdapting[]> {
  const { pes = [2], quick = false, rounds = quick ? 2 : 30, onProgress, signal } = options;
  const session = quick ? SESSION_NS / 4 : SESSION_NS;
  const cases = pes.flatMap((n) =>
    adaptCases(n, 1, (gap) => session / (gap + ITEM_NS), quick ? [0, 1000] : undefined),
  );
  const results: JudgedAdapting[] = [];
  for (const [i, one] of cases.entries()) {
    onProgress?.({ stage: `case ${i + 1} of ${cases.length}`, done: i / cases.length });
    const args: AdaptJob = { module: appFile(one.app).href, words: one.words, rounds, pairs: PAIRS * rounds };
    const [times] = await launch<AdaptTimes>(sibling("./adapt.program.js", import.meta.url), {
      args,
      pes: one.pes,
      timeout: LIMIT_MS,
      ...(signal && { signal }),
    });
    results.push(judgeAdapting(one, times as AdaptTimes));
  }
  return results;
}

/** What the times of a case come to. */
export function judgeAdapting(one: AdaptCase, { sizes, best, besides, adapted }: AdaptTimes): JudgedAdapting {
  const ratios = adapted.map((seconds, i) => seconds / besides[i]);
  return {
    ...one,
    sizes: SIZES.map((bytes, i) => ({ bytes, seconds: median(sizes[i]) })),
    best,
    beside: median(besides),
    adapted: median(adapted),
    ratio: median(ratios),
    between: medianBetween(ratios),
  };
}

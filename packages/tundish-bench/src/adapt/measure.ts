/**
 * The option `adapt` beside fixed sizes, on the threads of this machine. The best size is chosen in one run, and
 * compared in later ones: the best of many medians is best by its noise, too; and what code the engine has made for a
 * run stays with it.
 */
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { median } from "../../../../src/ground/base/math.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import type { AdaptJob } from "./adapt.program.ts";
import { type AdaptCase, type AdaptChoice, adaptCases, appFile, SIZES } from "./cases.ts";

/** The comparison for one case. */
export interface JudgedAdapting extends AdaptCase {
  /** Seconds with each size, medians of the rounds by which the best was chosen, in the order of {@link SIZES}. */
  readonly sizes: readonly { readonly bytes: number; readonly seconds: number }[];
  readonly best: number;
  /** Seconds with it and with `adapt`, medians of the rounds by which they were compared. */
  readonly beside: number;
  readonly adapted: number;
  /**
   * Time with `adapt` by that with the best size, medians of a run: the median of the runs, and the least and the
   * greatest.
   */
  readonly ratio: number;
  readonly between: readonly [low: number, high: number];
}

export interface AdaptOptions {
  /** @default 2 */
  readonly pes?: readonly number[] | undefined;
  /** Of each size; ten times as many of the best one and `adapt`. @default 30 */
  readonly rounds?: number | undefined;
  readonly quick?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs in which they are compared, and rounds of one in place of one of each size. */
const RUNS = 5;
const PAIRS = 2;
const LIMIT_MS = 300_000;
/** Time of a session, and of an item without a gap, ns. */
const SESSION_NS = 4e6;
const ITEM_NS = 150;

/** Measures one case after another. @throws what {@link launch} throws */
export async function measureAdapting(options: AdaptOptions): Promise<JudgedAdapting[]> {
  const { pes = [2], quick = false, rounds = quick ? 2 : 30, onProgress, signal } = options;
  const session = quick ? SESSION_NS / 4 : SESSION_NS;
  const cases = pes.flatMap((n) => adaptCases(n, 1, (gap) => session / (gap + ITEM_NS), quick ? [0, 1000] : undefined));
  const results: JudgedAdapting[] = [];
  for (const [i, one] of cases.entries()) {
    onProgress?.({ stage: `case ${i + 1} of ${cases.length}`, done: i / cases.length });
    const take = async (choices: readonly AdaptChoice[], count: number): Promise<number[][]> => {
      const args: AdaptJob = { module: appFile(one.app).href, words: one.words, choices, rounds: count };
      const [times] = await launch<number[][]>(sibling("./adapt.program.js", import.meta.url), {
        args,
        pes: one.pes,
        timeout: LIMIT_MS,
        ...(signal && { signal }),
      });
      return times as number[][];
    };
    const sizes = await take(SIZES, rounds);
    const best = bestOf(sizes);
    const runs: AdaptTimes["runs"][number][] = [];
    for (let run = 0; run < (quick ? 1 : RUNS); run++) {
      const [beside, adapted] = await take([best, "adapt"], PAIRS * rounds);
      runs.push({ beside, adapted });
    }
    results.push(judgeAdapting(one, { sizes, best, runs }));
  }
  return results;
}

/** Seconds of each round. */
export interface AdaptTimes {
  /** In the order of {@link SIZES}. */
  readonly sizes: readonly (readonly number[])[];
  readonly best: number;
  /** With it and with `adapt`. */
  readonly runs: readonly { readonly beside: readonly number[]; readonly adapted: readonly number[] }[];
}

/** The size with the least median. */
function bestOf(sizes: AdaptTimes["sizes"]): number {
  const medians = sizes.map(median);
  return SIZES[medians.indexOf(Math.min(...medians))];
}

/** A summary of the times of a case. */
export function judgeAdapting(one: AdaptCase, { sizes, best, runs }: AdaptTimes): JudgedAdapting {
  const ratios = runs.map(({ beside, adapted }) => median(adapted) / median(beside));
  return {
    ...one,
    sizes: SIZES.map((bytes, i) => ({ bytes, seconds: median(sizes[i]) })),
    best,
    beside: median(runs.flatMap(({ beside }) => beside)),
    adapted: median(runs.flatMap(({ adapted }) => adapted)),
    ratio: median(ratios),
    between: [Math.min(...ratios), Math.max(...ratios)],
  };
}

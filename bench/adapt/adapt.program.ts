/** One program with each size in turn, then the best of them and `adapt` in turn, on real PEs. */
import { median } from "../../src/base/math.ts";
import type { PE } from "../../src/pe/pe.ts";
import { findSpmd, type Spmd, spmd } from "../../src/pe/spmd.ts";
import { type AdaptChoice, SIZES, wordsOf } from "./cases.ts";

export interface AdaptJob {
  /** Its file, as text. */
  readonly module: string;
  readonly words: readonly string[];
  /** Of all sizes; and of the best one with `adapt`. */
  readonly rounds: number;
  readonly pairs: number;
}

/** Seconds of each round. */
export interface AdaptTimes {
  /** In the order of {@link SIZES}. */
  readonly sizes: readonly (readonly number[])[];
  /** The size with the least median. */
  readonly best: number;
  readonly besides: readonly number[];
  readonly adapted: readonly number[];
}

const program: Spmd = spmd(
  async (pe: PE, { module, words, rounds, pairs }: AdaptJob): Promise<AdaptTimes | undefined> => {
    const app = findSpmd(await import(module));
    /** By choice. Each round begins with another one; the first one compiles. */
    async function take(choices: readonly AdaptChoice[], count: number): Promise<number[][]> {
      const times = choices.map((): number[] => []);
      for (let round = -1; round < count; round++) {
        for (let i = 0; i < choices.length; i++) {
          const turn = (i + round + choices.length) % choices.length;
          const report = await app?.main(pe, [...words, ...wordsOf(choices[turn])]);
          const { seconds = 0 } = (report ?? {}) as { readonly seconds?: number };
          if (round >= 0) times[turn].push(seconds);
        }
      }
      return times;
    }
    const sizes = await take(SIZES, rounds);
    const medians = sizes.map(median);
    // the reports, and so the times, are those of PE 0
    const best = SIZES[pe.broadcast(medians.indexOf(Math.min(...medians)))];
    const [besides, adapted] = await take([best, "adapt"], pairs);
    return pe.rank === 0 ? { sizes, best, besides, adapted } : undefined;
  },
);
export default program;

/** One program with each choice in turn, on real PEs. */
import type { PE } from "../../src/pe/pe.ts";
import { findSpmd, type Spmd, spmd } from "../../src/pe/spmd.ts";
import { type AdaptChoice, CHOICES, wordsOf } from "./cases.ts";

export interface AdaptJob {
  /** Its file, as text. */
  readonly module: string;
  readonly words: readonly string[];
  readonly rounds: number;
}

/** By choice, s; a round is at the same place of each. */
export type AdaptTimes = readonly { readonly choice: AdaptChoice; readonly seconds: readonly number[] }[];

const program: Spmd = spmd(
  async (pe: PE, { module, words, rounds }: AdaptJob): Promise<AdaptTimes | undefined> => {
    const app = findSpmd(await import(module));
    const times = CHOICES.map((choice) => ({ choice, seconds: [] as number[] }));
    for (let round = -1; round < rounds; round++) {
      for (let i = 0; i < times.length; i++) {
        // each round begins with another one
        const { choice, seconds } = times[(i + round + times.length) % times.length];
        const report = await app?.main(pe, [...words, ...wordsOf(choice)]);
        const { seconds: taken = 0 } = (report ?? {}) as { readonly seconds?: number };
        // the first one compiles
        if (round >= 0) seconds.push(taken);
      }
    }
    return pe.rank === 0 ? times : undefined;
  },
);
export default program;

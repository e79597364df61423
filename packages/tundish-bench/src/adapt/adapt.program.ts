/** One program with each of some choices in turn, on real PEs. */
import type { PE } from "../../../../src/pe/pe.ts";
import { findSpmd, type Spmd, spmd } from "../../../../src/pe/spmd.ts";
import { type AdaptChoice, wordsOf } from "./cases.ts";

export interface AdaptJob {
  /** Its file, as text. */
  readonly module: string;
  readonly words: readonly string[];
  readonly choices: readonly AdaptChoice[];
  readonly rounds: number;
}

/** Gives the seconds of each round, by choice. */
const program: Spmd = spmd(
  async (pe: PE, { module, words, choices, rounds }: AdaptJob): Promise<number[][] | undefined> => {
    const app = findSpmd(await import(module));
    const times = choices.map((): number[] => []);
    for (let round = -1; round < rounds; round++) {
      for (let i = 0; i < choices.length; i++) {
        // each round begins with another one
        const turn = (i + round + choices.length) % choices.length;
        const report = await app?.main(pe, [...words, ...wordsOf(choices[turn])]);
        const { seconds = 0 } = (report ?? {}) as { readonly seconds?: number };
        // the first one compiles
        if (round >= 0) times[turn].push(seconds);
      }
    }
    return pe.rank === 0 ? times : undefined;
  },
);
export default program;

/** Random programs, one after the other in one world. */
import { type Spmd, spmd } from "../../../src/index.ts";
import { type Forced, play } from "../support/play.ts";
import { programOf } from "../support/steps.ts";

export interface Args {
  readonly seeds: readonly number[];
  readonly forced?: Forced;
  /**
   * Where each PE says how far it is, three words each: the seed, the step that it has begun last, and the one that it
   * has completed last.
   */
  readonly progress?: SharedArrayBuffer;
}

/** Words of a PE's progress. */
export const PROGRESS_WORDS = 3;

/** Gives the number of programs. */
const program: Spmd<Args, Promise<number>> = spmd(async (pe, { seeds, forced = null, progress }: Args) => {
  const words = progress && new Int32Array(progress, 4 * PROGRESS_WORDS * pe.rank, PROGRESS_WORDS);
  for (const seed of seeds) {
    if (words) words.set([seed, -1, -1]);
    await play(pe, programOf(seed, pe.size), forced, (at, isOver) => {
      if (words) words[isOver ? 2 : 1] = at;
    });
  }
  return seeds.length;
});
export default program;

/** Ordered broadcasts at random: many seeds in one world. */
import { type Spmd, spmd } from "../../../../../src/index.ts";
import { type Delivered, type Play, play, playOf } from "../support/play.ts";

export interface Args {
  readonly first: number;
  readonly count: number;
  readonly more: Partial<Play>;
}

/** Gives what each PE has delivered, by seed. */
const program: Spmd = spmd(async (pe, args) => {
  const { first, count, more } = args as Args;
  const all: Delivered[] = [];
  for (let seed = first; seed < first + count; seed++) all.push(await play(pe, playOf(seed, more)));
  return all;
});
export default program;

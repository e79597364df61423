/** Plays a list of cases; see cases.ts and play.ts. */
import { type Group, type Spmd, spmd } from "../../../src/index.ts";
import type { Case } from "../support/cases.ts";
import { Arena } from "../support/places.ts";
import { play } from "../support/play.ts";

/** What the PEs are told to do. */
export interface Args {
  readonly cases: readonly Case[];
  /** Room of each PE for its arrays. */
  readonly arenaBytes: number;
}

const program: Spmd = spmd(async (pe, args) => {
  const { cases, arenaBytes } = args as Args;
  const arena = new Arena(await pe.allocAsync(Uint8Array, arenaBytes));
  const groups = new Map<string, Group>();
  const groupOf = (ranks: readonly number[]): Group => {
    const name = ranks.join();
    const group = groups.get(name) ?? pe.group(ranks);
    groups.set(name, group);
    return group;
  };
  for (const one of cases) await play(pe, arena, groupOf, one);
  return cases.length;
});

export default program;

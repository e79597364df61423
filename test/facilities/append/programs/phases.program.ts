import { type PE, type Spmd, spmd } from "../../../../src/index.ts";
import { type Phases, phasesOf, playPhases } from "../support/phases.ts";

/** Seeds from `first` on, each played with `more`. */
export interface Args {
  readonly first: number;
  readonly count: number;
  readonly more: Partial<Phases>;
}

const program: Spmd = spmd(async (pe: PE, { first, count, more }: Args) => {
  let [phases, taken, refused] = [0, 0, 0];
  for (let seed = first; seed < first + count; seed++) {
    const args = phasesOf(seed, more);
    const seen = await playPhases(pe, args);
    phases += args.phases;
    taken += seen.taken;
    refused += seen.refused;
  }
  return [phases, taken, refused];
});
export default program;

/** A session that lasts until a word is set: PE 1 is in its source, PE 0 waits for it. */
import { conveyor } from "../../../src/conveyor.ts";
import { type Spmd, spmd, u32 } from "../../../src/index.ts";

export interface Args {
  readonly word: Int32Array;
  /** How far the clock of PE 1's thread steps before, ms. */
  readonly step: number;
}

const main: Spmd<Args> = spmd((pe, given) => {
  const { word, step } = given as Args;
  using c = conveyor(pe, u32);
  const { now } = Date;
  if (pe.rank === 1) Date.now = () => now() + step;
  c.run(
    () => {
      if (pe.rank === 0) return;
      pe.post("in its source");
      Atomics.wait(word, 0, 0);
    },
    () => {},
  );
  Date.now = now;
});
export default main;

/** A session of a simple conveyor in which PE 0 is done only when it has pulled enough, or never. */
import { conveyor, DONE } from "../../../../src/conveyor.ts";
import { type Spmd, spmd, u32 } from "../../../../src/index.ts";

export interface Args {
  /** Items that each other PE pushes to PE 0 before it is done. */
  readonly items: number;
  /** Items after which PE 0 is done. */
  readonly enough: number;
}

const program: Spmd = spmd((pe, args) => {
  const { items, enough } = args as Args;
  const c = conveyor(pe, u32, { type: "simple" }).begin();
  let pushed = 0;
  let pulled = 0;
  const isDone = () => (pe.rank === 0 ? pulled >= enough : pushed === items);
  while (c.advance(isDone()) !== DONE) {
    while (pe.rank > 0 && pushed < items && c.push(0, pushed)) pushed++;
    while (c.pull()) pulled++;
  }
  c.reset();
  return pulled;
});
export default program;

/**
 * Times sessions over nodes with the plan for the load and with given choices, in turns, and prints both with the plan's
 * explanation. Every PE sends the same number of items to any of them.
 */
import { type Conveyor, type Spmd, spmd, u8 } from "../../../src/index.ts";

/** What this program is started with, as JSON. */
interface Limited {
  readonly load: number;
  readonly turns: number;
  /** Choices to compare the plan with; null for none. */
  readonly other: object | null;
}

const program: Spmd = spmd((pe, args) => {
  const { load, turns, other } = JSON.parse((args as string[])[0] as string) as Limited;
  const session = (c: Conveyor<typeof u8>): number => {
    pe.barrier();
    const start = performance.now();
    c.begin();
    for (let i = 0; c.advance(i === load); ) {
      for (; i < load && c.push((pe.rank + i) % pe.size, i % 256); i++);
      while (c.pull());
    }
    c.reset();
    return pe.allreduce(performance.now() - start, "max");
  };
  const planned = pe.conveyor(u8, { load });
  const given = other === null ? null : pe.conveyor(u8, other);
  const times: { planned: number[]; other: number[] } = { planned: [], other: [] };
  for (let turn = 0; turn <= turns; turn++) {
    const took = [session(planned), given === null ? 0 : session(given)] as const;
    // the first is a warm-up
    if (turn === 0) continue;
    times.planned.push(took[0]);
    times.other.push(took[1]);
  }
  console.log(JSON.stringify({ rank: pe.rank, explained: planned.explain(), ...times }));
});
export default program;

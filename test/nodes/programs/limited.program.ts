/**
 * Times sessions over nodes with the plan for the load and with given choices, in turns, and prints both in us for a session, with
 * the plan's explanation. Every PE sends the same number of items to any of them. A turn has several sessions one after another:
 * so what a link lets pass at once is little of it, and what a session leaves on the link counts.
 */
import { type Conveyor, conveyor } from "../../../src/conveyor.ts";
import { type Spmd, spmd, u8 } from "../../../src/index.ts";

/** What this program is started with, as JSON. */
interface Limited {
  readonly load: number;
  readonly turns: number;
  /** Of a turn. */
  readonly sessions: number;
  /** Choices to compare the plan with; null for none. */
  readonly other: object | null;
}

const program: Spmd = spmd((pe, args) => {
  const { load, turns, sessions, other } = JSON.parse((args as string[])[0] as string) as Limited;
  const sessionsOf = (c: Conveyor<typeof u8>): number => {
    pe.barrier();
    const start = performance.now();
    for (let session = 0; session < sessions; session++) {
      c.begin();
      for (let i = 0; c.advance(i === load); ) {
        for (; i < load && c.push((pe.rank + i) % pe.size, i % 256); i++);
        while (c.pull());
      }
      c.reset();
    }
    return pe.allreduce(performance.now() - start, "max") / sessions;
  };
  const planned = conveyor(pe, u8, { load });
  const given = other === null ? null : conveyor(pe, u8, other);
  // us
  const times: { planned: number[]; other: number[] } = { planned: [], other: [] };
  for (let turn = 0; turn <= turns; turn++) {
    const took = [sessionsOf(planned), given === null ? 0 : sessionsOf(given)] as const;
    // the first is a warm-up
    if (turn === 0) continue;
    times.planned.push(Math.round(1000 * took[0]));
    times.other.push(Math.round(1000 * took[1]));
  }
  const explained = planned.explain();
  const isSame = pe.allgather(explained).every((one) => one === explained);
  // one line of less than 2048 bytes: mpirun puts others into longer ones
  const lines = explained.split("\n").filter((line) => !line.startsWith("not "));
  if (pe.rank === 0) console.log(JSON.stringify({ isSame, lines, ...times }));
});
export default program;

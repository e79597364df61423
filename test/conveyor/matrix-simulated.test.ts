/** Every type of conveyor on virtual PEs: the same cases as on threads, and states seen from outside. */
import { suite } from "uvu";
import { LONG, rounds } from "../support/long.ts";
import { ALL_SIZES, casesWith, isBrief, nameOf, playCase } from "./support/cases.ts";
import { mix } from "./support/payloads.ts";
import { watcher } from "./support/scenario.ts";
import { playVirtually } from "./support/seats.ts";

const PES = [1, 2, 3, 4, 5, 8, 12, 24];

const matrix = suite("conveyors on virtual PEs");
for (const buffers of [1, 2, 4] as const) {
  for (const one of casesWith(buffers)) {
    if (!LONG && buffers !== 2 && isBrief(one)) continue;
    matrix(nameOf(one), () => {
      // a plain run has pairs: each type with each number of buffers, and each with each number of PEs
      const isAmong = (i: number) => (buffers === 1 ? i % 3 === 2 : i % 2 === (buffers === 2 ? 0 : 1));
      const some = PES.filter((_, i) => LONG || isAmong(i));
      for (const pes of some) {
        const seed = mix(pes, buffers);
        const jitter = seed % 3;
        const nodes = pes % 4 === 0 ? 2 : 1;
        const watch = watcher(pes);
        // all sizes of items on few PEs, other sizes in each case on more
        const few = pes === 3 ? ALL_SIZES : pes <= 8 ? 3 : 1;
        const budget = { count: pes > 8 ? 30 : 60, sessions: rounds(few, ALL_SIZES) };
        playVirtually({ pes, nodes, seed, jitter, timeout: 60_000 }, (pe) =>
          playCase(pe, one, budget, seed, watch),
        );
      }
    });
  }
}
matrix.run();

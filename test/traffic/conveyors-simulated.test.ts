/** Conveyors under every discipline on virtual PEs: the contract, as of those without (test/conveyor/support/cases.ts). */
import { suite } from "uvu";
import { CONVEYOR_DISCIPLINES } from "../../src/conveyor/geometry/options.ts";
import { nameOf, playCase } from "../conveyor/support/cases.ts";
import { mix } from "../conveyor/support/payloads.ts";
import { watcher } from "../conveyor/support/scenario.ts";
import { playVirtually } from "../conveyor/support/seats.ts";
import { LONG, rounds } from "../support/long.ts";
import { disciplinedCases } from "./support/conveyors.ts";

/** With 3 hops in rows of 2 PEs: 8 and 12 PEs have whole planes, 10 one that is not. */
const PES = [1, 2, 3, 4, 6, 8, 10, 12, 5];

const test = suite("conveyors under disciplines, simulated");
for (const [at, discipline] of CONVEYOR_DISCIPLINES.filter((name) => name !== "eager").entries()) {
  // PEs that put items back sleep between two looks; the tokens of the others go around meanwhile, an event each
  const volume = { count: 40, sessions: 3, ...(discipline === "token" && { reject: 0 }) };
  for (const [number, one] of disciplinedCases(discipline).entries()) {
    test(nameOf(one), () => {
      const { groupSize = 1 } = one.options;
      // a plain run has pairs: of the numbers of PEs one or two for each case of each discipline
      const isAmong = (i: number) => LONG || (i + at + number) % 5 === 0;
      for (const pes of PES.filter((size) => size % groupSize === 0).filter((_, i) => isAmong(i))) {
        for (let round = 0; round < rounds(1, 8); round++) {
          const seed = mix(pes, number, at, round);
          const nodes = pes % 2 === 0 ? pes / 2 : 1;
          const world = { pes, nodes, seed, jitter: seed % 3, timeout: 60_000 };
          const watch = watcher(pes);
          playVirtually(world, (pe) => playCase(pe, one, volume, seed, watch));
        }
      }
    });
  }
}
test.run();

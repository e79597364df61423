/** Conveyors under every discipline on virtual PEs: the contract, as of those without (test/facilities/conveyor/support/cases.ts). */
import { suite } from "uvu";
import { CONVEYOR_DISCIPLINES } from "../../../src/route/geometry/options.ts";
import { rounds } from "../../support/long.ts";
import { covering } from "../../support/sample.ts";
import { nameOf, playCase } from "../conveyor/support/cases.ts";
import { mix } from "../conveyor/support/payloads.ts";
import { watcher } from "../conveyor/support/scenario.ts";
import { playVirtually } from "../conveyor/support/seats.ts";
import { disciplinedCases } from "./support/conveyors.ts";

/** With 3 hops in rows of 2 PEs: 8 and 12 PEs have whole planes, 10 one that is not. */
const PES = [1, 2, 3, 4, 6, 8, 10, 12, 5];

const DISCIPLINES = CONVEYOR_DISCIPLINES.filter((name) => name !== "eager");
const ALL = DISCIPLINES.flatMap((discipline, at) =>
  disciplinedCases(discipline).flatMap((one, number) =>
    PES.filter((pes) => pes % (one.options.groupSize ?? 1) === 0).map((pes) => ({
      ...{ discipline, at, one, number, pes },
    })),
  ),
);
/** Pairs in a plain run: each discipline with each case and with each number of PEs, and each case with each of these. */
const PLAYED = covering(
  ALL,
  ({ at, number, pes }) => [`${at}, case ${number}`, `${at}, ${pes} PEs`, `case ${number}, ${pes} PEs`],
  "conveyors-simulated",
);

const test = suite("conveyors under disciplines, simulated");
for (const { discipline, at, one, number, pes } of PLAYED) {
  // PEs that put items back sleep between two looks; the tokens of the others go around meanwhile, an event each
  const volume = { count: 40, sessions: 3, ...(discipline === "token" && { reject: 0 }) };
  test(`${nameOf(one)}, ${pes} PEs`, () => {
    for (let round = 0; round < rounds(1, 8); round++) {
      const seed = mix(pes, number, at, round);
      const nodes = pes % 2 === 0 ? pes / 2 : 1;
      const world = { pes, nodes, seed, jitter: seed % 3, timeout: 60_000 };
      const watch = watcher(pes);
      playVirtually(world, (pe) => playCase(pe, one, volume, seed, watch));
    }
  });
}
test.run();

/** Every discipline in the simulator, under seeds and options that are drawn: what each promises, and that everything comes once. */
import * as fc from "fast-check";
import { suite } from "uvu";
import { rounds } from "../../support/long.ts";
import { DISCIPLINES, play, scenarios } from "./support/scenario.ts";

const RUNS = rounds(60, 10_000);

const test = suite("disciplines, simulated");

for (const discipline of DISCIPLINES) {
  test(discipline, () => {
    fc.assert(
      fc.property(scenarios(discipline), (scenario) => void play(scenario)),
      { numRuns: RUNS },
    );
  });
}

test.run();

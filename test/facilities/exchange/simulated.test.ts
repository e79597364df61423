/** Every discipline in the simulator, under seeds and options that are drawn: what each promises, and that everything comes once. */
import * as fc from "fast-check";
import { suite } from "uvu";
import { rounds } from "../../support/long.ts";
import { DISCIPLINES, play, scenarios } from "./support/scenario.ts";

const RUNS = rounds(30, 10_000);

const test = suite("disciplines, simulated");

const check = (name: string, ...drawn: Parameters<typeof scenarios>) =>
  test(name, () => {
    fc.assert(
      fc.property(scenarios(...drawn), (scenario) => void play(scenario)),
      { numRuns: RUNS },
    );
  });

for (const discipline of DISCIPLINES) check(discipline, discipline);
check("token, with barriers", "token", [1, 3, 7]);
check("dynamic, with tokens", "dynamic", [0, 0, 0, 2, 7, 40]);

test.run();

/** Conveyors of values: nothing is lost, doubled, changed or out of order; and what is wrong about values and functions. */
import * as fc from "fast-check";
import { suite } from "uvu";
import { sibling } from "../../../src/base/package-file.ts";
import { rounds } from "../../support/long.ts";
import { testInTurn } from "../../support/test-in-turn.ts";
import type { Args } from "../programs/values.program.ts";
import { playVirtually } from "../support/seats.ts";
import { passValues, valueTrials, waresOf } from "../support/values.ts";

const program = sibling("../programs/values.program.js", import.meta.url);

const values = suite("values");

values("any values, virtual PEs", () => {
  fc.assert(
    fc.property(valueTrials, fc.constantFrom(1, 2, 3, 4, 6), (trial, pes) => {
      const wares = waresOf(trial);
      playVirtually({ pes, seed: trial.seed, timeout: 1000 }, (pe) => passValues(pe, trial, wares));
    }),
    { numRuns: rounds(70, 20_000) },
  );
});

for (const pes of [1, 3, 4]) {
  testInTurn<Args>(values, program, pes, [
    ["any values", { part: "pass", trials: rounds(8, 100) }, 0],
    ["whole sessions", { part: "run" }, 0],
    ["whole sessions, two hops", { part: "run", hops: 2 }, 0],
    ["sent and taken", { part: "sent" }, 0],
  ]);
}

values.run();

/** Any sequence of collectives, on any number of PEs, against one thread that plays all PEs. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/base/package-file.ts";
import { launch } from "../../src/launch/launch.ts";
import type { Trees } from "../../trees/model/types.ts";
import type { Args } from "./programs/mixed.program.ts";
import { ALGORITHMS, chain, disseminating, hybrid, treesOf } from "./support/plans.ts";

const program = sibling("./programs/mixed.program.js", import.meta.url);
const PLANS: Readonly<Record<string, (pes: number) => Trees>> = {
  ...Object.fromEntries(ALGORITHMS.map((algorithm) => [algorithm, (pes: number) => treesOf(pes, algorithm)])),
  disseminating,
  hybrid,
  chain,
};

const mixed = suite("mixed collectives");

for (let pes = 1; pes <= 8; pes++) {
  mixed(`any sequence, any tree, ${pes} PEs`, async () => {
    const world = fc.record({ seed: fc.nat(1_000_000_000), plan: fc.constantFrom(...Object.keys(PLANS)) });
    await fc.assert(
      fc.asyncProperty(world, async ({ seed, plan }) => {
        const args: Args = { seed, steps: 200 };
        const options = { pes, trees: PLANS[plan](pes), args };
        const done = await launch(program, { ...options, timeout: 60_000, waitTimeout: 30_000 });
        assert.equal(done, Array(pes).fill(200));
      }),
      { numRuns: 2, endOnFailure: true, includeErrorInReport: true },
    );
  });
}
mixed.run();

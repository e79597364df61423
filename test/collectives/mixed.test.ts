/** Any sequence of collectives, on any number of PEs, against one thread that plays all PEs. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import type { Trees } from "../../trees/model/tree.ts";
import { rounds } from "../support/long.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Args } from "./programs/mixed.program.ts";
import { ALGORITHMS, chain, disseminating, hybrid, treesOf } from "./support/plans.ts";

const program = sibling("./programs/mixed.program.js", import.meta.url);
const PLANS: Readonly<Record<string, (pes: number) => Trees>> = {
  ...Object.fromEntries(ALGORITHMS.map((algorithm) => [algorithm, (pes: number) => treesOf(pes, algorithm)])),
  disseminating,
  hybrid,
  chain,
};

const STEPS = rounds(60, 200);

const mixed = suite("mixed collectives");

for (let pes = 1; pes <= 8; pes++) {
  mixed(`any sequence, any tree, ${pes} PEs`, async () => {
    const world = fc.record({ seed: fc.nat(1_000_000_000), plan: fc.constantFrom(...Object.keys(PLANS)) });
    await fc.assert(
      fc.asyncProperty(world, async ({ seed, plan }) => {
        const args: Args = { seed, steps: STEPS };
        const trees = PLANS[plan](pes);
        const done = await launchPooled(program, { pes, trees, args, waitTimeout: 30_000 });
        assert.equal(done, Array(pes).fill(STEPS));
      }),
      { numRuns: rounds(1, 4), endOnFailure: true, includeErrorInReport: true },
    );
  });
}
mixed.run();

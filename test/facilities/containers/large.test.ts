/** Containers that are larger than a cache. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";

const file = sibling("./large.program.js", import.meta.url);

const test = suite("large containers");

for (const pes of [1, 2]) {
  test(`operations that are read ahead by ${pes} threads have their order`, async () => {
    const anyArgs = fc.record({ seed: fc.nat(2 ** 20), count: fc.nat(5000) });
    await fc.assert(
      fc.asyncProperty(anyArgs, async (args) => {
        const told = (await launchPooled(file, { pes, args, waitTimeout: 30_000 })) as string[][];
        assert.equal(told.flat(), []);
      }),
      { seed: SEED, numRuns: rounds(6, 200) },
    );
  });
}

test.run();

/** Resilient groups on virtual PEs: random calls, in which PEs crash or throw at any time; nothing is lost, nothing is stuck. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { pick } from "./programs/calls.ts";
import { playSeed } from "./support/seeds.ts";

const test = suite("resilient groups on virtual PEs");

const COUNT = rounds(200, 100_000);
test(`${COUNT} random runs`, async () => {
  const begin = (SEED * 1000) % 2 ** 31;
  const sums = { repaired: 0, losses: 0 };
  for (let i = 0; i < COUNT; i++) {
    const { repaired, losses } = await playSeed(begin + i, { pes: 2 + pick(5, begin + i, 10), nodes: 1 });
    sums.repaired += repaired;
    sums.losses += losses;
  }
  console.log(`${COUNT} seeds from ${begin}: ${JSON.stringify(sums)}`);
  // half of them at least have calls that were repaired
  assert.ok(sums.repaired > COUNT / 2);
});

test.run();

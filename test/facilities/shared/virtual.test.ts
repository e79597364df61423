/** Shared objects on virtual PEs: seeded schedules, with stalls. */
import { suite } from "uvu";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { kinds, pick, playKind } from "./programs/play.ts";

const test = suite("shared objects on virtual PEs");
const COUNT = rounds(60, 20_000);

for (const kind of kinds) {
  test(`${kind}: ${COUNT} schedules`, async () => {
    const begin = (SEED * 1000) % 2 ** 31;
    for (let seed = begin; seed < begin + COUNT; seed++) {
      const pes = 1 + pick(6, seed, 40);
      const faults = Array.from({ length: pick(3, seed, 41) }, (_, i) => ({
        ...{ pe: pick(pes, seed, 42, i), at: pick(50_000, seed, 43, i), kind: "stall" as const },
        lasting: pick(20_000, seed, 44, i),
      }));
      try {
        await simulateAsync({ pes, seed, jitter: pick(4, seed, 45), faults }, (pe) =>
          playKind(pe, { kind, seed, turns: 12, blocks: false }),
        );
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).stack}`);
      }
    }
  });
}

test.run();

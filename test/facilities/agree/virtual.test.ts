/** Histories on virtual PEs, by the calls that programs use: crashes, stalls, late messages, on one node and over several. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { orderedRun } from "./programs/ordered.ts";
import { replicaRun } from "./programs/replica.ts";
import { named } from "./programs/setting.ts";
import { storeRun } from "./programs/store.ts";
import { commitRun } from "./programs/two-phase.ts";

const test = suite("agreement on virtual PEs");

type Run = (seed: number, broken?: boolean) => Promise<object>;
const RUNS: Readonly<Record<string, Run>> = { storeRun, replicaRun, commitRun, orderedRun };
/** Those of them that are broken on purpose. */
const BROKEN = {
  storeRun: /not linearizable/,
  replicaRun: /not linearizable/,
  commitRun: /not linearizable|was refused|: without|not decided|about its own no/,
  orderedRun: /instead of|is there after/,
} as const;

for (const [name, run] of Object.entries(RUNS)) {
  test(`random histories: ${name}`, async () => {
    const count = rounds(30, 25_000);
    const begin = (SEED * 1000) % 2 ** 31;
    const sums: Record<string, number> = {};
    for (let i = 0; i < count; i++) {
      const outcome = await named(name, begin + i, () => run(begin + i));
      for (const [what, value] of Object.entries(outcome ?? { tooEarly: 1 }))
        sums[what] = (sums[what] ?? 0) + Number(value);
    }
    console.log(`${name}, ${count} seeds from ${begin}: ${JSON.stringify(sums)}`);
    assert.ok((sums.crashes as number) > count / 4);
    assert.ok((sums.operations ?? sums.delivered ?? sums.committed ?? 0) > 5 * count);
  });

  test(`noticed if it is broken: ${name}`, async () => {
    for (let i = 0; i < 500; i++) {
      try {
        await named(name, SEED + i, () => run(SEED + i, true));
      } catch (error) {
        const { message } = error as Error;
        assert.match(message, BROKEN[name as keyof typeof BROKEN], message);
        return;
      }
    }
    assert.unreachable("nothing was noticed");
  });
}

test("the same seed is the same run", async () => {
  for (const run of Object.values(RUNS)) {
    const play = () => named("run", SEED, () => run(SEED));
    assert.equal(await play(), await play());
  }
});

test.run();

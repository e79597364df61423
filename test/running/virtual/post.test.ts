/** What virtual PEs post. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { RankLostError, UsageError } from "../../../src/ground/base/errors.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";

const test = suite("posts of virtual PEs");

test("clones arrive at once, with the rank, in the order of virtual time", async () => {
  const got: [unknown, number][] = [];
  const kept = { step: 0 };
  await simulateAsync(
    { pes: 3, onMessage: (value, rank) => void got.push([value, rank]), memoryBytes: 2 ** 24 },
    async (pe) => {
      pe.work(1000 * (3 - pe.rank));
      await pe.barrierAsync();
      for (kept.step = 0; kept.step < 2; kept.step++) pe.post(kept);
    },
  );
  for (const rank of [0, 1, 2])
    assert.equal(
      got.filter(([, from]) => from === rank).map(([value]) => value),
      [{ step: 0 }, { step: 1 }],
    );
});

test("without a listener nothing happens; what cannot be cloned is refused", async () => {
  const options = { pes: 1, memoryBytes: 2 ** 24 };
  const { results } = await simulateAsync(options, async (pe) => pe.post(1));
  assert.equal(results, [undefined]);
  const refused = await simulateAsync(options, async (pe) => pe.post(() => {})).catch((error: Error) => error);
  assert.instance(refused, RankLostError);
  assert.instance((refused as Error).cause, UsageError);
});

test.run();

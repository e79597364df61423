/** Programs that await what is no call of their PE while others poll: virtual time does not run away from real time. */
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { containers, countingMap, text } from "../../../src/containers.ts";
import { conveyor, DONE } from "../../../src/conveyor.ts";
import { type Group, u32 } from "../../../src/index.ts";
import { simulateAsync } from "../../../src/simulate.ts";

const test = suite("what is awaited beside calls");

test("in a session of containers: no timeout of virtual time", async () => {
  const { results } = await simulateAsync({ pes: 8, nodes: 2, timeout: 4000 }, async (pe) => {
    const data = containers(pe, { counts: countingMap(text) });
    await data.runAsync(async ({ counts }) => {
      if (pe.rank === 5) await delay(400);
      await counts.insert("tin", pe.rank + 1);
    });
    return data.counts.totalAsync();
  });
  assert.equal(results, Array(8).fill(36));
});

test("where nothing comes at all, the limit of virtual time ends it", async () => {
  const error = await simulateAsync({ pes: 2, timeout: 50 }, async (pe) => {
    const c = conveyor(pe, u32);
    await c.beginAsync();
    if (pe.rank === 1) while ((await c.advanceAsync(false)) !== DONE);
    while ((await c.advanceAsync(true)) !== DONE);
  }).catch(String);
  assert.match(String(error), /TimeoutError/);
});
test("a facility over what is no PE says how generators write it", () => {
  const wrong = { rank: 0 } as unknown as Group;
  assert.throws(
    () => conveyor(wrong, u32),
    /^conveyor: expected a PE or a group as the first argument, got \{.*\}\. The PE of a generator for simulate\(\) is none/,
  );
});
test.run();

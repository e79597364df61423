/** Declared work of awaiting programs: it takes the time that it takes, whatever comes meanwhile, and delays nobody else. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { conveyor } from "../../../src/conveyor.ts";
import { u32 } from "../../../src/ground/item/item-type.ts";
import type { PE } from "../../../src/pe/pe.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";

const WORK = 1e6;
const run = <T>(pes: number, nodes: number, program: (pe: PE) => Promise<T>) =>
  simulateAsync({ pes, nodes, memoryBytes: 2 ** 24 }, program);

const work = suite("declared work");

for (const nodes of [1, 2]) {
  work(`messages of a collective that come meanwhile do not shorten it, ${nodes} nodes`, async () => {
    const { results } = await run(2, nodes, async (pe) => {
      const times = [pe.now];
      for (let i = 0; i < 3; i++) {
        if (pe.rank === 1) pe.work(WORK);
        const worked = pe.now;
        await pe.broadcastAsync(i);
        assert.ok(pe.now >= worked, "time went back");
        times.push(pe.now);
      }
      return times;
    });
    const [root, receiver] = results as [number[], number[]];
    for (let i = 1; i <= 3; i++) {
      const took = (receiver[i] as number) - (receiver[i - 1] as number);
      assert.ok(took >= WORK && took < WORK + 5000, `${took} ns`);
    }
    assert.ok((root[3] as number) < WORK / 2, "the root need not wait");
  });

  work(`items that come meanwhile are looked at when it is over, ${nodes} nodes`, async () => {
    const { results } = await run(8, nodes, async (pe) => {
      const c = conveyor(pe, u32, { bufferBytes: 64, buffersPerLink: 4 });
      await c.beginAsync();
      const began = pe.now;
      if (pe.rank === 0) pe.work(WORK);
      let [pushed, pulled] = [0, 0];
      while (await c.advanceAsync(pe.rank === 0 || pushed === 50)) {
        for (; pe.rank > 0 && pushed < 50 && c.push(0, pushed); pushed++);
        while (c.pull()) pulled++;
      }
      c.reset();
      return [pulled, pe.now - began] as const;
    });
    const [pulled, took] = results[0] as readonly [number, number];
    assert.is(pulled, 350);
    assert.ok(took >= WORK && took <= WORK + 15_000, `${took} ns`);
  });
}

work("a message that is sent after it delays none that others send meanwhile", async () => {
  const { results } = await run(3, 3, async (pe) => {
    const [late, soon] = [
      [0, 2],
      [1, 2],
    ].map((ranks) => (ranks.includes(pe.rank) ? pe.group(ranks) : null));
    if (pe.rank === 0) {
      pe.work(WORK);
      await late?.broadcastAsync(1);
    }
    // when the other has sent already, in real time
    if (pe.rank === 1) pe.work(2000);
    await soon?.barrierAsync();
    if (pe.rank === 1) await soon?.barrierAsync();
    if (pe.rank !== 2) return pe.now;
    await soon?.barrierAsync();
    const between = pe.now;
    await late?.broadcastAsync(0);
    return between;
  });
  assert.ok((results[2] as number) < WORK / 10, `${results[2]} ns`);
  assert.ok((results[1] as number) < WORK / 10, `${results[1]} ns`);
});

work.run();

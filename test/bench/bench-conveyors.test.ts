/** The parts of `tundish bench conveyors`: payloads, variants, targets, the queue; nothing about speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PAYLOADS, SIZES } from "../../bench/conveyors/payloads.ts";
import { randomArray } from "../../bench/conveyors/random.ts";
import { queueMemory, SharedQueue } from "../../bench/conveyors/shared-queue.ts";
import { BALE_TIMES, CONVEYOR_TARGETS, checkConveyorTargets } from "../../bench/conveyors/targets.ts";
import { FULL, QUICK, variantsOf, whatOf } from "../../bench/conveyors/variants.ts";
import type { Measured } from "../../microbench/pairs/types.ts";
import { simulate } from "../../src/simulate/simulate.ts";

const test = suite("bench conveyors");

test("payloads have their size, and add up to what was pushed, one by one and as columns", () => {
  const count = 100;
  for (const size of SIZES) {
    const payload = PAYLOADS[size];
    assert.is(payload.item.bytes, size);
    let expected = 0;
    for (let i = 0; i < count; i++) expected += payload.expected(i);
    assert.is(payload.worthAll(payload.columns(count), count), expected);
    const dests = new Uint32Array(count);
    const columns = payload.columns(count);
    const { results } = simulate({ pes: 1 }, function* (pe) {
      const c = pe.conveyor(payload.item);
      yield* c.begin();
      let oneByOne = 0;
      for (let i = 0; yield* c.advance(i === count); ) {
        for (; i < count; i++) if (!payload.push(c.push as never, 0, i)) break;
        while (c.pull()) oneByOne += payload.worth(c.item);
      }
      yield* c.reset();
      yield* c.begin();
      let many = 0;
      for (let i = 0; yield* c.advance(i === count); ) {
        i = c.pushAll(dests, columns, i);
        for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) {
          many += payload.worthAll(batch.columns, batch.count);
        }
      }
      yield* c.reset();
      return [oneByOne, many];
    });
    assert.equal(results, [[expected, expected]]);
  }
});

test("destinations: every PE, about as often, others for each sender, the same again", () => {
  const dests = randomArray(30_000, 3, 0);
  const counts = [0, 0, 0];
  for (const dest of dests) counts[dest]++;
  assert.ok(counts.every((count) => count > 9000 && count < 11_000));
  assert.equal(randomArray(100, 3, 0), dests.slice(0, 100));
  assert.not.equal(randomArray(100, 3, 1), dests.slice(0, 100));
});

test("variants: every size, type, number of hops and way; nothing twice; whole numbers of items", () => {
  for (const volume of [FULL, QUICK]) {
    const variants = variantsOf(2, volume);
    const keys = variants.map(({ name, what }) => `${name}: ${what}`);
    assert.is(new Set(keys).size, keys.length);
    for (const { pes, job } of variants) {
      assert.ok(Number.isInteger(job.items) && job.items > 0 && job.sessions > 0 && pes >= 2);
    }
  }
  // where there are many PEs, each has less
  const [oversubscribed] = variantsOf(64, FULL);
  assert.is(oversubscribed.job.items, 2 ** 27 / 64 / 8);
  const names = new Set(variantsOf(2, FULL).map(({ name }) => name));
  assert.equal(
    [...names],
    [
      ...["tundish, item-wise", "tundish, batch-wise", "tundish, run"],
      ...["tundish, simple, item-wise", "tundish, simple, batch-wise", "tundish, trivial, item-wise"],
      ...["tundish, 2 hops, item-wise", "tundish, 2 hops, batch-wise"],
      ...["tundish, 3 hops, item-wise", "tundish, 3 hops, batch-wise"],
    ],
  );
  assert.is(whatOf(8, 4, 4), "8 B, 4 PEs");
  assert.is(whatOf("histogram", 4, 2), "histogram, 4 PEs on 2 CPUs");
});

test("targets: bale's rates as times; reached and missed; every aim is about something measured", () => {
  const keys = new Set(variantsOf(2, FULL).map(({ name, what }) => `${name}: ${what}`));
  for (const { who, what } of CONVEYOR_TARGETS) assert.ok(keys.has(`${who}: ${what}`), `${who}: ${what}`);
  const bale = new Map(BALE_TIMES.map(({ what, ns }) => [what, ns]));
  assert.is((bale.get("8 B, 2 PEs") as number).toFixed(2), "7.68"); // 1042 MB/s
  assert.is((bale.get("histogram, 2 PEs") as number).toFixed(2), "6.30"); // 10^7 in 0.063 s
  const time = (name: string, what: string, ns: number): Measured => ({
    ...{ name, what, ns, low: ns, high: ns, batch: 1, batches: 1 },
  });
  const results = checkConveyorTargets([
    time("tundish, item-wise", "8 B, 2 PEs", 6),
    time("tundish, run", "8 B, 2 PEs", 9),
    time("tundish, batch-wise", "histogram, 2 PEs", 3),
  ]);
  const verdicts = results.flatMap(({ target, verdict }) =>
    verdict === "not measured" ? [] : [`${target.who}: ${target.what}: ${verdict}`],
  );
  assert.equal(verdicts, [
    "tundish, item-wise: 8 B, 2 PEs: reached",
    "tundish, batch-wise: histogram, 2 PEs: reached",
    "tundish, run: 8 B, 2 PEs: missed",
  ]);
});

test("the queue in shared memory: full, then read, over and over", () => {
  const queue = new SharedQueue(queueMemory(2), 2);
  let received = 0;
  let idle = 0;
  const count = 10_000;
  for (let i = 0; i < count; i++) {
    queue.push(i, () => {
      idle++;
      received += queue.drain();
    });
  }
  assert.not.ok(queue.isEmpty);
  received += queue.drain();
  assert.ok(queue.isEmpty);
  assert.ok(idle >= 2);
  assert.is(received, (count * (count - 1)) / 2);
});

test.run();

/** The parts of `tundish bench conveyors`: payloads, variants, targets, the queue; nothing about speed. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PAYLOADS, SIZES } from "../../microbench/conveyors/payloads.ts";
import { queueMemory, SharedQueue } from "../../microbench/conveyors/shared-queue.ts";
import { whatOf } from "../../microbench/conveyors/variants.ts";
import type { Measured } from "../../microbench/pairs/profiled.ts";
import { randomArray } from "../../microbench/turns/random.ts";
import { CONVEYOR_TARGETS, DIRECT } from "../../packages/tundish-bench/src/conveyors/targets.ts";
import { FULL, groupsOf, QUICK } from "../../packages/tundish-bench/src/conveyors/variants.ts";
import { checkTargets } from "../../packages/tundish-bench/src/turns/targets.ts";
import { simulate } from "../../src/running/simulate/simulate.ts";

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
        for (; i < count; i++) if (!payload.push(c as never, 0, i)) break;
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

test("groups: every size, type, number of hops and way; nothing twice; as many PEs as CPUs and more", () => {
  for (const volume of [FULL, QUICK]) {
    const keys = groupsOf(2, volume).flatMap(({ what, variants }) =>
      variants.map(({ name, job }) => {
        assert.ok(job.sessions > 0 && job.sessionMs > 0);
        return `${name}: ${what}`;
      }),
    );
    assert.is(new Set(keys).size, keys.length);
  }
  const groups = groupsOf(2, FULL);
  assert.equal([...new Set(groups.map(({ pes }) => pes))], [2, 3, 4, 8]);
  // with four PEs to a CPU code is warm four times as late
  for (const { pes, variants } of groups) {
    for (const { job } of variants) assert.is(job.warmMs, (FULL.warmMs * pes) / 2);
  }
  assert.equal([...new Set(groupsOf(64, FULL).map(({ pes }) => pes))], [64, 65, 128, 256]);
  const names = new Set(groups.flatMap(({ variants }) => variants.map(({ name }) => name)));
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

test("targets: every one is about something measured, and has the C program beside it", () => {
  const keys = new Set(
    groupsOf(2, FULL).flatMap(({ what, variants }) => variants.map(({ name }) => `${name}: ${what}`)),
  );
  for (const { who, what, rivals } of CONVEYOR_TARGETS) {
    assert.ok(keys.has(`${who}: ${what}`), `${who}: ${what}`);
    assert.equal(rivals, { names: [DIRECT], whats: [what] });
  }
  const time = (name: string, what: string, ns: number): Measured => ({
    ...{ name, what, ns, low: ns, high: ns, batch: 1, batches: 1, mode: 560 },
  });
  const results = checkTargets(
    [
      time(DIRECT, "8 B, 2 PEs", 10),
      time("tundish, batch-wise", "8 B, 2 PEs", 12.5),
      time("tundish, item-wise", "8 B, 2 PEs", 21),
      time("tundish, run", "8 B, 2 PEs", 23),
    ],
    CONVEYOR_TARGETS,
  );
  const verdicts = results.flatMap(({ target, verdict }) =>
    verdict === "not measured" ? [] : [`${target.who}: ${target.what}: ${verdict}`],
  );
  assert.equal(verdicts, [
    "tundish, batch-wise: 8 B, 2 PEs: reached",
    "tundish, item-wise: 8 B, 2 PEs: reached",
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

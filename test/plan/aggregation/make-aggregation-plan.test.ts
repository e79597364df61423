/** planAggregation: the best of all buffers, what is given, what a PE cannot send, and how it tells of it. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import type { AggregationWorkload } from "../../../src/plan/aggregation/aggregation-plan.ts";
import { planAggregation } from "../../../src/plan/aggregation/make-aggregation-plan.ts";
import { rounds } from "../../support/long.ts";

const test = suite("plans of aggregation");
const base: AggregationWorkload = { alpha: 1000, rate: 1e6, links: 4, itemBytes: 8, delayCost: 0.01 };

test("by hand: 4 links, an item each 4 us on each", () => {
  const plan = planAggregation(base);
  // alpha / n + 0.01 (n - 1) 2000: 262.9 with 7, 266.7 with 6, 265 with 8
  assert.equal([plan.aggregates, plan.items, plan.bufferBytes], [true, 7, 56]);
  assert.ok(Math.abs(plan.cost.total - (1000 / 7 + 120)) < 1e-9);
  assert.equal([plan.cost.without, plan.cost.delay, plan.meanDelay, plan.fillTime], [1000, 120, 12_000, 28_000]);
  assert.ok(Math.abs(plan.maxDelay - 0.056) < 1e-12, `${plan.maxDelay}`);
  assert.ok(Math.abs(plan.busy.planned - 1 / 7) < 1e-9 && plan.busy.without === 1);
  assert.is(
    plan.explain(),
    [
      "aggregate: buffers of 56 B, 7 items, maxDelay 0.056 ms: 74 % less than one by one",
      "  a message costs 1 us, a ns of an item's delay costs 0.01 ns; 250000 items/s for each of 4 links",
      "  an item costs 262.9 ns: 142.9 ns for messages, 120 ns for a delay of 12 us; one by one 1 us",
      "  by (4.12) buffers from 8.2 B to 391.8 B are of use, by (4.13) none of 400 B or more",
    ].join("\n"),
  );
});

test("where nothing is gained, items go one by one", () => {
  const plan = planAggregation({ ...base, rate: 1e5, delayCost: 1 });
  assert.equal([plan.aggregates, plan.items, plan.bufferBytes, plan.maxDelay, plan.meanDelay], [false, 1, 8, 0, 0]);
  assert.match(plan.explain(), /^do not aggregate: send items one by one\n[\s\S]*by \(4\.12\) no buffer is of use/);
});

test("a PE that cannot send one by one gathers as many as it must, and is told when bytes alone are too many", () => {
  const plan = planAggregation({ ...base, alpha: 10_000, delayCost: 0.1 });
  // a million messages of 10 us take 10 s: 13 items leave 0.77 of the time
  assert.equal([plan.items, Number(plan.busy.planned.toFixed(3))], [13, 0.769]);
  assert.match(plan.explain(), /more than the best of 7\.07 items, as messages keep the PE busy: 77 % of the time/);
  const dear = planAggregation({ ...base, delayCost: 1 });
  assert.equal([dear.aggregates, dear.items], [true, 2]);
  assert.match(dear.explain(), /maxDelay 0\.016 ms: .* (than|as) one by one, which cannot be\n/);
  const over = planAggregation({ ...base, beta: 200 });
  assert.ok(over.busy.planned > 1.6);
  assert.match(over.explain(), /the PE cannot send as many: it would be busy for 1\d\d % of the time/);
});

test("a given buffer is kept: a small one becomes full, a large one is sent by the delay", () => {
  const small = planAggregation({ ...base, bufferBytes: 32, threshold: 0.75 });
  assert.equal([small.bufferBytes, small.items, small.fillTime], [32, 3, 12_000]);
  assert.ok(Math.abs(small.maxDelay - 0.024) < 1e-12);
  const large = planAggregation({ ...base, bufferBytes: 16_384 });
  assert.equal([large.bufferBytes, large.items], [16_384, 7]);
  // the 6 that come after the first
  assert.ok(Math.abs(large.maxDelay - 0.024) < 1e-12);
  assert.match(
    large.explain(),
    /the buffer was given; the best would have 7\.07 items: maxDelay sends it before it is full/,
  );
  assert.not.match(small.explain(), /before it is full/);
});

test("other costs of a delay: none, and a deadline", () => {
  const free = planAggregation({ ...base, delayCost: 0, itemBytes: 1024 });
  assert.equal([free.items, free.bufferBytes], [2 ** 18, 2 ** 28]);
  assert.match(free.explain(), /buffers of any size are of use, as a delay costs nothing/);
  const deadline = planAggregation({ ...base, delayCost: (t) => (t <= 100_000 ? 0 : 1e9) });
  // one each 4 us: the first of 26 waits for 100 us
  assert.is(deadline.items, 26);
  assert.is(deadline.cost.delay, 0);
  assert.is(deadline.bounds, null);
});

test("two hops: twice the messages, twice the delay, the same buffers", () => {
  const [one, two] = [planAggregation(base), planAggregation({ ...base, hops: 2 })];
  assert.equal([two.items, two.bufferBytes, two.fillTime], [7, 56, 28_000]);
  for (const [a, b] of [
    [one.cost.total, two.cost.total],
    [one.cost.without, two.cost.without],
    [one.meanDelay, two.meanDelay],
    [one.maxDelay, two.maxDelay],
    [one.busy.planned, two.busy.planned],
  ] as const) {
    assert.ok(Math.abs(2 * a - b) < 1e-9, `${a} ${b}`);
  }
  assert.match(two.explain(), /250000 items\/s for each of 4 links on each of 2 hops/);
  // a square of the whole delay: of half of it on each hop
  const square = planAggregation({ ...base, hops: 2, delayCost: (t) => 1e-6 * t * t });
  assert.ok(Math.abs(square.items - Math.cbrt((3 * 1000) / (4e-6 * 4000 ** 2))) <= 1, `${square.items}`);
});

test("a cost that is no line is that of each item, and the best number of items is found", () => {
  const costs: readonly ((t: number) => number)[] = [
    (t) => (t < 10_000 ? 0 : 1e9),
    (t) => (t <= 10_000 ? 0 : 50),
    (t) => (t <= 30_000 ? 0 : 0.1 * (t - 30_000)),
    (t) => 1e-6 * t * t,
    (t) => 3 * Math.sqrt(t),
    (t) => 40 + 0.01 * t,
    (t) => (t > 12_000 ? Number.POSITIVE_INFINITY : 0),
  ];
  const each = 4000;
  for (const [i, delayCost] of costs.entries()) {
    const costOf = (items: number) => {
      const sum = Array.from({ length: items }, (_, k) => delayCost(k * each)).reduce((a, b) => a + b);
      return (1000 + sum) / items;
    };
    const best = Array.from({ length: 100 }, (_, k) => k + 1).reduce((a, b) => (costOf(b) < costOf(a) ? b : a));
    const plan = planAggregation({ alpha: 1000, rate: 1e6, links: 4, itemBytes: 8, delayCost });
    // the mean of many items is an integral
    assert.ok(Math.abs(plan.cost.total - costOf(plan.items)) < 0.002 * plan.cost.total, `${i}: its cost`);
    assert.ok(plan.cost.total <= 1.002 * costOf(best), `${i}: ${plan.items} items, the best are ${best}`);
  }
});

const positive = (least: number, most: number) =>
  fc.double({ min: Math.log(least), max: Math.log(most), noNaN: true }).map(Math.exp);
const workloads = fc.record({
  alpha: positive(1, 1e5),
  beta: positive(1e-4, 1e-2),
  rate: positive(1e3, 1e7),
  itemBytes: fc.integer({ min: 1, max: 1000 }),
  delayCost: positive(1e-5, 10),
  links: fc.integer({ min: 1, max: 64 }),
  threshold: positive(0.1, 1),
});

test("no other number of items costs less, but where the PE would be too busy", () => {
  const holds = (workload: AggregationWorkload) => {
    const plan = planAggregation(workload);
    const { alpha, beta = 0, rate, itemBytes, links = 1, threshold = 1 } = workload;
    const kappa = workload.delayCost as number;
    const cost = (n: number) => alpha / n + beta * itemBytes + (kappa * (n - 1) * links * 1e9) / (2 * rate);
    const busy = (n: number) => (rate / 1e9) * (alpha / n + beta * itemBytes);
    assert.ok(Math.abs(cost(plan.items) / plan.cost.total - 1) < 1e-9);
    const most = 2 ** 28 / itemBytes;
    for (const n of [1, 2, 3, 5, 10, 100, 1000, plan.items - 1, plan.items + 1].filter((n) => n >= 1 && n < most)) {
      if (cost(n) < plan.cost.total * (1 - 1e-9)) assert.ok(n < plan.items && busy(n) > 0.8 * (1 - 1e-9), `${n}`);
    }
    assert.ok(plan.bufferBytes * threshold >= plan.items * itemBytes * (1 - 1e-9));
    // what is gained is below the bound of 4.13, which is exact for whole items
    const bound = plan.bounds?.bound as number;
    if (plan.aggregates && busy(1) <= 0.8) assert.ok(plan.items * itemBytes < bound * threshold * (1 + 1e-9));
    assert.is(plan.maxDelay === 0, plan.items === 1);
    assert.is(plan.explain().split("\n").length, 1 + plan.reasons.length);
  };
  fc.assert(fc.property(workloads, holds), { numRuns: rounds(300, 20_000) });
});

test("what is wrong is refused with what was expected", () => {
  const wrong: [object, RegExp][] = [
    [{ rate: 0 }, /^rate: expected a number of items per second from 1e-6 to 2\^53, got 0/],
    [{ rate: undefined }, /^rate: expected a number of items per second from 1e-6/],
    [{ delayCost: undefined }, /^delayCost: expected ns of cost .*, got undefined/],
    [
      { delayCost: -0.1 },
      /^delayCost: expected ns of cost for each ns of an item's delay \(a number >= 0\).*, got -0\.1/,
    ],
    [{ threshold: 0 }, /^threshold: expected a fraction above 0 and at most 1, got 0/],
    [{ links: 1.5 }, /^links: expected a whole number >= 1, got 1\.5/],
    [{ bufferBytes: 8, threshold: 0.5 }, /^bufferBytes: expected at least 16 bytes, as an item has 8/],
    [{ kappa: 1 }, /^planAggregation: unknown option 'kappa'/],
  ];
  for (const [some, message] of wrong) {
    assert.throws(
      () => planAggregation({ ...base, ...some }),
      (error: Error) => error instanceof UsageError && message.test(error.message),
      JSON.stringify(some),
    );
  }
});

test.run();

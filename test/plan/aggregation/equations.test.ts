/** The equations of the model of aggregation: numbers computed by hand, and counted item by item; what follows from what. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { bestBuffer, bestTimeout, bestTimeoutFor } from "../../../src/plan/aggregation/best.ts";
import { bufferBound, fillTimeOf, leastBufferFor, usefulBuffers } from "../../../src/plan/aggregation/buffers.ts";
import {
  costOfAggregation,
  costWithoutAggregation,
  gainOfAggregation,
  gainOfBuffer,
  isAggregationWorthIt,
  isBufferWorthIt,
  meanDelayCost,
} from "../../../src/plan/aggregation/costs.ts";
import type { AggregatedStream } from "../../../src/plan/aggregation/stream.ts";
import { rounds } from "../../support/long.ts";

const test = suite("equations of aggregation");

/** A million items of 8 bytes a second: one each 1000 ns. */
const stream: AggregatedStream = { alpha: 1000, beta: 2, rate: 1e6, itemBytes: 8 };

const near = (got: number, expected: number, what: string) =>
  assert.ok(Math.abs(got - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), `${what}: ${got}, not ${expected}`);

test("4.1 to 4.4, by hand: 10 items in 10 us", () => {
  near(costWithoutAggregation(stream, 10_000), 10 * 1000 + 10 * 8 * 2, "4.1");
  near(costOfAggregation(stream, 10_000, 0.1), 1000 + 160 + 10 * 0.1 * 5000, "4.2");
  near(gainOfAggregation(stream, 10_000, 0.1), 4000, "4.3");
  assert.is(isAggregationWorthIt(stream, 10_000, 0.1), true);
  // 10 items that wait for 5 us each must cost less than 9 messages: up to 0.18
  assert.equal(
    [0.179, 0.181].map((kappa) => isAggregationWorthIt(stream, 10_000, kappa)),
    [true, false],
  );
  // one item in a period gains nothing, whatever a delay costs
  assert.is(isAggregationWorthIt(stream, 1000, 0), false);
});

test("4.1 to 4.3, counted item by item", () => {
  // so many that the mean of whole items is that of a continuous stream
  const items = 100_000;
  const [each, kappa] = [1000, 0.003];
  let [alone, together] = [0, stream.alpha];
  for (let i = 0; i < items; i++) {
    alone += stream.alpha + 8 * 2;
    together += 8 * 2 + kappa * (items - i - 0.5) * each;
  }
  near(costWithoutAggregation(stream, items * each), alone, "4.1");
  near(costOfAggregation(stream, items * each, kappa), together, "4.2");
  near(gainOfAggregation(stream, items * each, kappa), alone - together, "4.3");
});

test("4.5 and 4.6, by hand, and each the inverse of the other", () => {
  near(leastBufferFor(stream, 10_000), 80, "4.5");
  near(leastBufferFor(stream, 10_000, 0.5), 160, "4.5 with half a buffer");
  near(fillTimeOf(stream, 160, 0.5), 10_000, "4.6");
  near(fillTimeOf(stream, leastBufferFor(stream, 12_345, 0.3), 0.3), 12_345, "4.6 of 4.5");
});

test("4.7 and 4.8, by hand: buffers of 10 items", () => {
  // 100 000 messages a second less 1 000 000, and a million delays of 5 us
  near(gainOfBuffer(stream, 80, 0.1), 900_000 * 1000 - 1e6 * 0.1 * 5000, "4.7");
  near(gainOfBuffer(stream, 160, 0.1, 0.5), 4e8, "4.7 with half a buffer");
  assert.equal(
    [0.179, 0.181].map((kappa) => isBufferWorthIt(stream, 80, kappa)),
    [true, false],
  );
  assert.is(isBufferWorthIt(stream, 8, 0), false, "a buffer of one item");
});

test("4.7 is 4.3 of the fill time, as often as it is in a second", () => {
  const period = fillTimeOf(stream, 200, 0.7);
  near(gainOfBuffer(stream, 200, 0.05, 0.7), (gainOfAggregation(stream, period, 0.05) * 1e9) / period, "4.7 by 4.3");
});

test("4.12 and 4.13, by hand, and by looking for the ends of 4.8", () => {
  // 2 Q S alpha / kappa = 2 x 0.001 x 8 x 1000 / 0.1
  near(bufferBound(stream, 0.1), 160, "4.13");
  near(bufferBound(stream, 0.1, 0.5), 320, "4.13 with half a buffer");
  const useful = usefulBuffers(stream, 0.1);
  near(useful?.least as number, 80 - Math.sqrt(6400 - 1280), "4.12");
  near(useful?.most as number, 80 + Math.sqrt(6400 - 1280), "4.12");
  const end = (from: number, to: number): number => {
    let [low, high] = [from, to];
    for (let i = 0; i < 80; i++) {
      const middle = (low + high) / 2;
      if (isBufferWorthIt(stream, middle, 0.1) === isBufferWorthIt(stream, from, 0.1)) low = middle;
      else high = middle;
    }
    return low;
  };
  near(useful?.least as number, end(8, 36), "4.12 by halves");
  near(useful?.most as number, end(36, 1000), "4.12 by halves");
  // less than 4 items: none is of use
  assert.is(usefulBuffers(stream, 0.501), null);
  near(usefulBuffers(stream, 0.5)?.least as number, 16, "4.12 where both ends meet");
  assert.equal(usefulBuffers(stream, 0), { least: 8, most: Number.POSITIVE_INFINITY });
  assert.is(bufferBound(stream, 0), Number.POSITIVE_INFINITY);
  assert.equal([usefulBuffers({ ...stream, alpha: 0 }, 0), bufferBound({ ...stream, alpha: 0 }, 0)], [null, 0]);
});

test("in buffers of whole items that are sent with the last one, 4.13 is where nothing is gained", () => {
  // 20 items: 1000 x 19 saved, and delays of 0 to 19 us
  let delays = 0;
  for (let i = 0; i < 20; i++) delays += 0.1 * 1000 * i;
  near(delays, 19 * 1000, "20 items");
  near(bufferBound(stream, 0.1), 20 * 8, "4.13");
});

test("the best timeout and buffer, by hand, and against all others", () => {
  near(bestTimeout(stream, 0.1), Math.sqrt(2e7), "timeout");
  near(bestBuffer(stream, 0.1), 8 * Math.sqrt(20), "buffer");
  near(bestBuffer(stream, 0.1, 0.25), 32 * Math.sqrt(20), "a quarter of a buffer");
  const perTime = (timeout: number) => gainOfAggregation(stream, timeout, 0.1) / timeout;
  const best = perTime(bestTimeout(stream, 0.1));
  near(best, 1 - Math.sqrt(2 * 0.001 * 1000 * 0.1), "its gain");
  for (let timeout = 100; timeout < 1e6; timeout *= 1.01) assert.ok(perTime(timeout) <= best, `${timeout}`);
  assert.is(bestTimeout(stream, 0), Number.POSITIVE_INFINITY);
  assert.is(bestTimeout({ ...stream, alpha: 0 }, 0), 0);
});

test("costs of a delay that are no line", () => {
  near(
    meanDelayCost((t) => t * t, 3000),
    3000 ** 2 / 3,
    "the mean of a parabola",
  );
  near(meanDelayCost(0.25, 3000), 0.25 * 1500, "the mean of a line is that of its middle");
  const found = bestTimeoutFor(stream, (t) => 0.1 * t);
  assert.ok(Math.abs(found / bestTimeout(stream, 0.1) - 1) < 1e-4, `${found}`);
  // by hand: alpha / tau + Q k tau^2 / 3 is least where tau^3 = 3 alpha / (2 Q k)
  const square = bestTimeoutFor(stream, (t) => 1e-5 * t * t);
  assert.ok(Math.abs(square / Math.cbrt(3000 / (2 * 0.001 * 1e-5)) - 1) < 1e-4, `${square}`);
  const deadline = bestTimeoutFor(stream, (t) => (t <= 10_000 ? 0 : 1e9));
  assert.ok(deadline <= 10_000 && deadline > 9_900, `${deadline}`);
  assert.is(
    bestTimeoutFor(stream, () => 5),
    Number.POSITIVE_INFINITY,
  );
  near(
    gainOfAggregation(stream, 10_000, (t) => t / 10),
    4000,
    "4.3",
  );
});

const positive = (least: number, most: number) =>
  fc.double({ min: Math.log(least), max: Math.log(most), noNaN: true }).map(Math.exp);
const streams = fc.record({
  alpha: positive(1, 1e6),
  beta: positive(1e-3, 10),
  rate: positive(1, 1e9),
  itemBytes: positive(1, 1e5),
});
const property = <T>(name: string, of: fc.Arbitrary<T>, holds: (given: T) => void) =>
  test(name, () => fc.assert(fc.property(of, holds), { numRuns: rounds(300, 20_000) }));

property(
  "the gain is the difference of the costs, and positive if and only if 4.4 says so",
  fc.tuple(streams, positive(1, 1e9), positive(1e-6, 10)),
  ([one, timeout, kappa]) => {
    const gain = gainOfAggregation(one, timeout, kappa);
    const [alone, together] = [costWithoutAggregation(one, timeout), costOfAggregation(one, timeout, kappa)];
    assert.ok(Math.abs(alone - together - gain) <= 1e-9 * Math.max(alone, together), `${gain}`);
    const items = one.rate * 1e-9 * timeout;
    const [left, right] = [one.alpha * (items - 1), items * kappa * (timeout / 2)];
    if (Math.abs(left - right) < 1e-9 * Math.max(Math.abs(left), right)) return;
    assert.is(isAggregationWorthIt(one, timeout, kappa), left > right);
  },
);

property(
  "4.12 says what 4.8 does, and 4.13 follows from it",
  fc.tuple(streams, positive(1e-6, 10), positive(0.01, 1), positive(0.1, 1e9)),
  ([one, kappa, threshold, bytes]) => {
    const useful = usefulBuffers(one, kappa, threshold);
    const bound = bufferBound(one, kappa, threshold);
    const isUseful = isBufferWorthIt(one, bytes, kappa, threshold);
    if (isUseful) assert.ok(bytes < bound, "4.8 without 4.13");
    if (useful === null) return assert.not(isUseful);
    assert.ok(useful.least <= useful.most && useful.most <= bound, JSON.stringify([useful, bound]));
    if (Math.min(Math.abs(bytes / useful.least - 1), Math.abs(bytes / useful.most - 1)) < 1e-6) return;
    assert.is(isUseful, bytes > useful.least && bytes < useful.most);
    // the best one is of use if any is, and its items are the root of the bound
    const best = bestBuffer(one, kappa, threshold);
    assert.ok(best >= useful.least * (1 - 1e-9) && best <= useful.most * (1 + 1e-9), `${best}`);
    const items = (size: number) => (size * threshold) / one.itemBytes;
    assert.ok(Math.abs(items(best) ** 2 / items(bound) - 1) < 1e-9);
  },
);

property(
  "dearer messages and more items make buffers larger, dearer delays smaller",
  fc.tuple(streams, positive(1e-6, 10), positive(1.01, 100)),
  ([one, kappa, more]) => {
    for (const size of [bestBuffer, bufferBound]) {
      const base = size(one, kappa);
      assert.ok(size({ ...one, alpha: one.alpha * more }, kappa) > base, "alpha");
      assert.ok(size({ ...one, rate: Math.min(2 ** 53, one.rate * more) }, kappa) > base, "rate");
      assert.ok(size(one, kappa * more) < base, "kappa");
      assert.ok(size(one, kappa, 0.5) > base, "threshold");
    }
    assert.ok(bestTimeout({ ...one, rate: one.rate * more }, kappa) < bestTimeout(one, kappa), "timeout");
  },
);

test("what is no stream, no size and no cost is refused", () => {
  const wrong: [() => unknown, RegExp][] = [
    [() => costWithoutAggregation({ ...stream, alpha: -1 }, 1), /^alpha: expected a number >= 0, got -1/],
    [
      () => bufferBound({ ...stream, rate: 0 }, 1),
      /^rate: expected a number of items per second from 1e-30 to 2\^53, got 0/,
    ],
    [() => bestBuffer({ ...stream, itemBytes: Number.NaN }, 1), /^itemBytes: expected a number of bytes > 0/],
    [() => bestTimeout({ ...stream, Q: 1 } as never, 1), /^stream: unknown field 'Q'/],
    [() => costWithoutAggregation(stream, 0), /^timeoutNs: expected a number of ns > 0, got 0/],
    [() => costOfAggregation(stream, Number.POSITIVE_INFINITY, 1), /^timeoutNs: expected a number of ns > 0/],
    [() => gainOfAggregation(stream, 1, -1), /^delayCost: expected ns of cost for each ns .*, got -1/],
    [() => gainOfAggregation(stream, 1, "1" as never), /^delayCost: .*, got "1"/],
    [() => gainOfAggregation(stream, 1, () => Number.NaN), /^delayCost: expected a function that returns/],
    [() => bestTimeoutFor(stream, () => -1), /^delayCost: expected a function that returns .*, got -1/],
    [() => fillTimeOf(stream, -8), /^bufferBytes: expected a number of bytes > 0, got -8/],
    [() => gainOfBuffer(stream, 8, 1, 0), /^threshold: expected a fraction above 0 and at most 1, got 0/],
    [() => usefulBuffers(stream, 1, 1.5), /^threshold: expected a fraction above 0 and at most 1, got 1\.5/],
    [() => usefulBuffers(stream, Number.NaN), /^kappa: expected ns of cost for each ns/],
    [() => meanDelayCost(1, -1), /^timeoutNs: expected a number of ns > 0, got -1/],
  ];
  for (const [call, message] of wrong) {
    assert.throws(call, (error: Error) => error instanceof UsageError && message.test(error.message), `${message}`);
  }
});

test.run();

/** Plans beside options of the call that they do not choose: adapt, and when buffers are sent. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../src/ground/base/errors.ts";
import { u32 } from "../../src/ground/item/item-type.ts";
import { planDocument } from "../../src/plan/document/document.ts";
import { makePlan } from "../../src/plan.ts";
import type { ConveyorOptions } from "../../src/route/geometry/options.ts";
import { type SimulatedPE, simulate } from "../../src/running/simulate/simulate.ts";

const test = suite("plans at the call");

const told = (options: ConveyorOptions, world: Partial<Parameters<typeof simulate>[0]> = {}): string =>
  simulate({ pes: 8, ...world }, function* (pe: SimulatedPE) {
    yield;
    return pe.conveyor(u32, options).explain();
  }).results[0] as string;

test("a conveyor that adapts is planned as a tensor, where another type would be faster", () => {
  const little = { load: 1e5, maxBytes: 65_536 };
  const many = { pes: 64 };
  assert.match(told(little, many), /^\d+ items .*\nsimple,/);
  assert.match(told({ ...little, adapt: true }, many), /^\d+ items .*\ntensor,/);
  // a type that was given is the caller's
  assert.throws(() => told({ ...little, adapt: true, type: "simple" }), /adapt: expected type "tensor"/);
});

test("what was given of when buffers are sent is told as forced, and a delay that is not in force is not told", () => {
  const rated = { load: 1000, rate: 1e6, delayCost: 0.01 };
  const given = told({ ...rated, maxDelay: 3 });
  assert.not.match(given, /maxDelay [\d.]+ ms: twice/);
  assert.match(
    given,
    /a buffer is sent after 3 ms, which the times and buffers here do not count\n {2}forced: maxDelay/,
  );
  assert.match(told(rated), /maxDelay [\d.]+ ms: twice/);
  assert.match(
    told({ load: 1000, threshold: 0.25 }),
    /a buffer is sent 25 % full, which the times and buffers here do not count\n {2}forced: threshold/,
  );
});

test("a type of a plan does not count where the call needs a tensor, also when it was forced and is planned again", () => {
  const base = { pes: 6, itemBytes: 4, load: 100 };
  const needs = [
    ["simple", { adapt: true }, /type: tensor, as it adapts, not simple as in/],
    ["trivial", { adapt: true }, /type: tensor, as it adapts, not trivial as in/],
    ["trivial", { maxDelay: 1 }, /type: tensor, for a maxDelay of 1, given at the call, not trivial as in/],
  ] as const;
  for (const [type, options, why] of needs) {
    const plan = planDocument({ "*": makePlan(undefined, { ...base, type }) });
    assert.match(told(options, { pes: 6, plan }), why);
    const again = told(options, { pes: 8, plan, fit: "adapt" });
    assert.match(again, /^tensor, [\s\S]*planned again/);
  }
});

test("a plan of thresholds that cannot be together is refused", () => {
  for (const plan of [
    { threshold: 0.5, cutoff: 0.6 },
    { threshold: 0.9, cutoff: 0.2 },
  ]) {
    assert.throws(
      () => told({ plan }),
      (error: Error) => {
        const cause = (error.cause ?? error) as Error;
        return (
          cause instanceof UsageError && /plan: threshold, cutoff: expected a sum of at most 1/.test(cause.message)
        );
      },
    );
  }
});

test("at a rate a given buffer costs what it does when its age sends it", () => {
  const base = { pes: 8, itemBytes: 8, load: 3000, rate: 1e6, delayCost: 0.01 };
  const cost = (bufferBytes?: number) =>
    makePlan(undefined, { ...base, hops: 1, ...(bufferBytes && { bufferBytes }) }).aggregation?.cost as number;
  const best = cost();
  // from four times the best size on the age sends it: the size of the buffer does not matter any more
  assert.is(cost(1024), cost(16_384));
  assert.ok(cost(16_384) < 1.1 * best, `${cost(16_384)} ${best}`);
  // below it is full before
  assert.ok(cost(96) > 1.2 * best, `${cost(96)} ${best}`);
  const large = makePlan(undefined, { ...base, bufferBytes: 16_384 });
  assert.match(large.explain(), /5\.36 items in a buffer wait for [\d.]+ us each;[\s\S]*are sent before/);
});

test.run();

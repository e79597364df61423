/** Plans for a rate and the cost of a delay: what is chosen, what is said, what is refused; and the model against the simulator. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { aggregationCases, judgeAggregation } from "../../../packages/tundish-bench/src/plan/aggregation.ts";
import { aggregationSummary } from "../../../packages/tundish-bench/src/plan/aggregation-summary.ts";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { bytes } from "../../../src/ground/item/item-type.ts";
import { makePlan, type PlanWorkload } from "../../../src/plan/conveyor/make-plan.ts";
import type { ConveyorPlan } from "../../../src/plan/conveyor/plan.ts";
import { planDocument } from "../../../src/plan/document/document.ts";
import { formatPlan } from "../../../src/plan/document/file.ts";
import { parsePlan } from "../../../src/plan/document/schema.ts";
import type { ConveyorOptions } from "../../../src/route/geometry/options.ts";
import { simulate } from "../../../src/running/simulate/simulate.ts";
import { LONG, rounds } from "../../support/long.ts";

const test = suite("plans for a rate");
const base: PlanWorkload = { pes: 16, nodes: 4, itemBytes: 16, load: 100_000 };
const rate = { rate: 1e6, delayCost: 0.01 };

test("without a rate nothing of it is there; with one the options are of conveyors still", () => {
  const plain = makePlan(undefined, base);
  assert.not("maxDelay" in plain.options || "aggregation" in plain);
  assert.not.match(plain.explain(), /delay/);
  const rated = makePlan(undefined, { ...base, ...rate });
  assert.ok(rated.options.bufferBytes < plain.options.bufferBytes / 8, JSON.stringify(rated.options));
  assert.equal(Object.keys(rated.options), [...Object.keys(plain.options), "maxDelay"]);
});

test("one hop by hand: the messages cost what the delays do, near the root of 4.13", () => {
  const plan = makePlan(undefined, { ...base, ...rate, pes: 8, nodes: 1, hops: 1 });
  const [hop] = plan.aggregation?.hops ?? [];
  assert.ok(hop !== undefined);
  assert.is(hop.rate, 125_000);
  // 50 ns to send, 50 to receive, what gives the buffer back, and the handling of a machine that was not measured
  assert.is(hop.alpha, 2 * 50 + 50 + 1000);
  assert.ok(Math.abs(hop.best - Math.sqrt((2 * 0.000125 * hop.alpha) / 0.01)) < 1e-9);
  assert.ok(Math.abs(hop.bound / 16 - hop.best ** 2) < 1e-6);
  assert.ok(hop.items >= hop.best / 1.5 && hop.items <= hop.best * 1.5, `${hop.items} ${hop.best}`);
  assert.is(plan.options.bufferBytes, hop.items * 16);
  assert.ok(Math.abs(hop.wait - ((hop.items - 1) * 8000) / 2) < 1e-6);
  // twice the time until a buffer is full
  assert.ok(
    Math.abs((plan.options.maxDelay as number) - (2 * hop.items * 8000) / 1e6) < 1e-9,
    `${plan.options.maxDelay}`,
  );
});

test("no other size costs less, and at each hop it is below 4.13", () => {
  const workloads = fc.record({
    pes: fc.constantFrom(4, 8, 16),
    nodes: fc.constantFrom(1, 2, 4),
    itemBytes: fc.constantFrom(4, 16, 100, 1000),
    rate: fc.constantFrom(1e3, 1e5, 1e6),
    delayCost: fc.constantFrom(1e-5, 1e-3, 0.1, 1),
  });
  // without one no PE keeps up
  const cost = (plan: ConveyorPlan) => plan.aggregation?.cost ?? Number.POSITIVE_INFINITY;
  const holds = (drawn: typeof workloads extends fc.Arbitrary<infer T> ? T : never) => {
    const workload = { ...drawn, load: 1e7 };
    const plan = makePlan(undefined, workload);
    const { type, hops, groupSize, buffersPerLink } = plan.options;
    const { itemBytes } = drawn;
    for (const items of [1, 2, 4, 10, 30, 100, 1000].filter((n) => n * itemBytes <= 65_536)) {
      const bufferBytes = items * itemBytes;
      const other = makePlan(undefined, { ...workload, type, hops, groupSize, buffersPerLink, bufferBytes });
      // an equal one may have been taken for its memory, and sizes are tried in steps of 1.5
      assert.ok(cost(plan) <= cost(other) * 1.04, `${items}: ${cost(plan)} ${cost(other)}`);
    }
    // more are gathered only where one by one would keep a PE busy
    const alone = makePlan(undefined, { ...workload, type, hops, groupSize, bufferBytes: itemBytes });
    const isIdle = (alone.aggregation?.busy ?? 1) < 0.1;
    for (const { items, bound } of plan.aggregation?.hops ?? [])
      if (items > 1 && hops === 1 && isIdle) assert.ok(items * itemBytes < bound * 1.01, `${items} ${bound}`);
    assert.is(
      plan.options.maxDelay === undefined,
      plan.aggregation?.hops.every(({ items }) => items === 1),
    );
  };
  fc.assert(fc.property(workloads, holds), { numRuns: rounds(8, 300) });
});

test("dearer delays make buffers smaller and waits shorter; delays that cost nothing as large as without", () => {
  const all = [0, 1e-4, 1e-3, 1e-2, 0.1, 1].map((delayCost) =>
    makePlan(undefined, { ...base, hops: 1, rate: 1e5, delayCost }),
  );
  const sizes = all.map(({ options }) => options.bufferBytes);
  assert.equal(
    sizes,
    sizes.toSorted((a, b) => b - a),
  );
  assert.ok((sizes[0] as number) >= 16_384 && (sizes[5] as number) <= 256, `${sizes}`);
  const delays = all.map(({ options: { maxDelay = 0 } }) => maxDelay);
  assert.equal(
    delays,
    delays.toSorted((a, b) => b - a),
  );
  assert.match(all[0]?.explain() as string, /any size is of use/);
});

test("it is said: the rate, each hop, the cost, the delay, and why others are dearer", () => {
  const text = makePlan(undefined, { ...base, ...rate }).explain();
  const lines = [
    // 100 000 items, 12 in each buffer, with tags beside them
    /^ {2}hop 1: 83\d\d(\.\d)? buffers to 4 PEs, 100 % full$/m,
    /^ {2}1000000 items\/s of a PE, a ns of an item's delay costs 0\.01 ns$/m,
    /^ {2}hop 1: a message costs [\d.]+ us, 250000 items\/s for a link; 12 items in a buffer wait for 22 us each; best [\d.]+ B, none of [\d.]+ B or more is of use \(4\.13\)$/m,
    /^ {2}an item costs [\d.]+ ns: [\d.]+ ns for messages, [\d.]+ ns for its own work, [\d.]+ ns for a delay of [\d.]+ us; a PE is busy for \d+ % of the time$/m,
    /^ {2}maxDelay 0\.192 ms: twice the 0\.096 ms in which buffers become full at this rate/m,
    /^not tensor, 1 hop, .*: [\d.]+ ns an item, [\d.]+ % more: (messages|a delay of) [\d.]+ .s instead of/m,
  ];
  for (const line of lines) assert.match(text, line);
});

test("a rate that a PE cannot keep: said, and the plan is that without a rate", () => {
  for (const rate of [8e7, 2e8, 1e9, 1e12]) {
    const plan = makePlan(undefined, { ...base, rate, delayCost: 0.01 });
    const plain = makePlan(undefined, base);
    assert.equal(plan.options, plain.options);
    assert.equal([plan.aggregation, plan.workload.rate], [undefined, rate]);
    const added = plan.explain().replace(plain.explain(), "");
    assert.match(
      added,
      /^\n {2}\d+ items\/s of a PE, .*\n {2}a PE cannot push as many: it would be busy for \d{3,} % of the time; planned for the shortest time, without a rate$/,
    );
  }
});

test("maxDelay is twice the time in which buffers become full, at any rate; less where larger ones are forced", () => {
  let shorter = 0;
  for (const pes of [2, 4, 16]) {
    for (const load of [1000, 1e5]) {
      for (const rate of [1e3, 1e5, 1e6, 1e7, 2e7, 4e7, 5e7, 6e7, 1e8, 1e9]) {
        for (const bufferBytes of [undefined, 4096]) {
          const plan = makePlan(undefined, {
            ...{ pes, itemBytes: 8, load, rate, delayCost: 0.01 },
            ...(bufferBytes && { bufferBytes }),
          });
          const { maxDelay } = plan.options;
          if (maxDelay === undefined) continue;
          const hops = plan.aggregation?.hops ?? [];
          const fill = hops.length * Math.max(...hops.map(({ full, rate }) => (full * 1000) / rate));
          const said = plan.explain().match(/maxDelay [\d.]+ ms: .*? ([\d.]+) ms (in which|to become)/);
          assert.is(Number(said?.[1]), Number(fill.toPrecision(3)), plan.explain());
          if (said?.[2] === "in which") {
            assert.ok(Math.abs(maxDelay / fill - 2) < 1e-9, `${rate}: ${maxDelay} ${fill}`);
          } else {
            assert.ok(maxDelay < fill && bufferBytes !== undefined, `${rate}: ${maxDelay} ${fill}`);
            shorter++;
          }
        }
      }
    }
  }
  assert.ok(shorter > 5, `${shorter}`);
});

test("numbers at the ends of what is allowed give a plan, or a UsageError", () => {
  for (const ends of [
    { rate: 1e-6, delayCost: 1 },
    { rate: 2 ** 53, delayCost: 2 ** 53 },
    { rate: 1, delayCost: 5e-324 },
    { rate: 1e6, delayCost: 0.1, network: { alpha: 1e308, beta: 1e308 } },
  ]) {
    try {
      const plan = makePlan(undefined, { ...base, ...ends });
      assert.not.match(plan.explain(), /NaN/);
      parsePlan(JSON.parse(formatPlan(planDocument({ "*": plan }))));
    } catch (error) {
      assert.instance(error, UsageError, `${JSON.stringify(ends)} ${error}`);
    }
  }
});

test("in a document, in a conveyor of it, and planned again for other PEs", () => {
  const plan = makePlan(undefined, { ...base, ...rate });
  const document = parsePlan(JSON.parse(formatPlan(planDocument({ "*": plan }))));
  const { workload, choice, reasons } = document.conveyors["*"] ?? {};
  assert.equal([workload?.rate, workload?.delayCost, choice?.maxDelay], [1e6, 0.01, plan.options.maxDelay]);
  assert.ok(reasons?.some((line) => /^maxDelay /.test(line)));
  const told = (options: ConveyorOptions, world: object) =>
    // biome-ignore lint/correctness/useYield: nothing is waited for
    simulate({ pes: 16, nodes: 4, ...world }, function* (pe) {
      return pe.conveyor(bytes(16), options).explain();
    }).results[0] as string;
  assert.match(
    told({}, { plan: document }),
    /2 x 192 B for each link: conveyors\.\* of the option plan[\s\S]*maxDelay 0\.192 ms/,
  );
  assert.match(told({ load: 100_000, ...rate }, {}), /^100000 items .*\n.*\n[\s\S]*1000000 items\/s of a PE/);
  assert.match(told({}, { plan: document }), /a buffer is sent after 192 us/);
  assert.match(told({ load: 100_000, ...rate, maxDelay: 7 }, {}), /a buffer is sent after 7 ms/);
  const again = told({}, { plan: document, fit: "adapt", pes: 8, nodes: 2 });
  assert.match(again, /planned again[\s\S]*1000000 items\/s of a PE, a ns of an item's delay costs 0\.01 ns/);
  // the delay is planned again with the buffers, unless it was forced
  const sent = (text: string) => /a buffer is sent after (.*)/.exec(text)?.[1];
  const fewer = { pes: 4, nodes: 1 };
  const few = told({}, { plan: document, fit: "adapt", ...fewer });
  assert.is.not(sent(few), sent(told({}, { plan: document })));
  assert.is(sent(few), sent(told({ load: 100_000, ...rate }, fewer)));
  const forced = planDocument({ "*": makePlan(undefined, { ...base, ...rate, maxDelay: 7 }) });
  assert.match(told({}, { plan: forced, fit: "adapt", ...fewer }), /a buffer is sent after 7 ms/);
});

test("what is wrong is refused: by makePlan, a conveyor and the reader of documents", () => {
  const wrong: [object, RegExp][] = [
    [{ rate: 0, delayCost: 1 }, /^rate: expected a number of items per second from 1e-6 to 2\^53, got 0/],
    [{ rate: "1e6", delayCost: 1 }, /^rate: expected a number of items per second .*, got "1e6"/],
    [{ rate: 1, delayCost: -1 }, /^delayCost: expected a number from 0 to 2\^53, got -1/],
    [{ rate: 1, delayCost: Number.NaN }, /^delayCost: expected a number from 0 to 2\^53, got NaN/],
    [{ rate: 1 }, /^delayCost: expected the ns of cost for each ns of an item's delay, perhaps 0, beside rate/],
    [{ delayCost: 1 }, /^rate: expected the items per second that a PE pushes, beside delayCost/],
  ];
  const conveyor = (options: object) =>
    // biome-ignore lint/correctness/useYield: nothing is waited for
    simulate({ pes: 2 }, function* (pe) {
      pe.conveyor(bytes(16), options);
    });
  for (const [some, message] of wrong) {
    const isIt = (error: Error) => error instanceof UsageError && message.test(error.message);
    assert.throws(() => makePlan(undefined, { ...base, ...some }), isIt, JSON.stringify(some));
    const cause = (error: Error) => isIt((error.cause ?? error) as Error);
    assert.throws(() => conveyor({ load: 10, ...some }), cause, JSON.stringify(some));
  }
  assert.throws(() => conveyor(rate), /rate: expected load beside it/);
  const document = JSON.parse(formatPlan(planDocument({ edges: makePlan(undefined, { ...base, ...rate }) })));
  delete document.conveyors.edges.workload.delayCost;
  assert.throws(() => parsePlan(document), /^conveyors\.edges\.workload\.delayCost: expected the ns of cost/);
});

test("single items that arrive over two hops keep a PE from looking: a plan takes two in a buffer, as is best", () => {
  // messages keep a PE busy for 82, 30 and 67 % of the time, and one by one items cost 122, 41 and 111 % more
  for (const [seed, number] of [
    [1, 53],
    [3, 2],
    [3, 36],
  ] as const) {
    const of = aggregationCases(number, seed).at(-1) as ReturnType<typeof aggregationCases>[number];
    const { byPlan, best, swept } = judgeAggregation(of, number);
    const text = JSON.stringify({ byPlan, best, swept });
    assert.ok((swept[0] as typeof best).cost > 1.4 * best.cost, text);
    assert.ok(byPlan.cost <= 1.02 * best.cost, text);
  }
});

test("the model's buffer and a plan's are near the best of a sweep in the simulator, and 4.13 is where nothing is gained", () => {
  const few = (all: ReturnType<typeof aggregationCases>) =>
    all.filter(({ pes, hops }) => pes * hops <= 4 || hops === 2).slice(0, 8);
  const cases = LONG ? aggregationCases(60, 3) : few(aggregationCases(40, 2));
  const all = cases.map(judgeAggregation);
  const { planned, byPlan, bound, breakEven } = aggregationSummary(all);
  const text = JSON.stringify({ planned, byPlan, bound, breakEven });
  assert.ok(all.length >= 8 && planned.within >= 0.8 * planned.cases && planned.median <= 0.05, text);
  assert.ok(byPlan.within >= 0.8 * byPlan.cases, text);
  assert.ok(breakEven.within >= 0.8 * breakEven.cases, text);
  // a limit is no choice
  assert.ok(bound.median > 0.2, text);
});

test.run();

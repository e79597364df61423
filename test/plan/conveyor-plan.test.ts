/** Plans of conveyors: near the best in the simulator, the same every time, with what is forced; and how they tell of it. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { comparePlan } from "../../packages/tundish-bench/src/plan/bench-plan.ts";
import { PLAN_NETWORKS, planCases } from "../../packages/tundish-bench/src/plan/plan-cases.ts";
import { baleRule, tramDefaults } from "../../packages/tundish-bench/src/plan/plan-rules.ts";
import { planSummary } from "../../packages/tundish-bench/src/plan/plan-summary.ts";
import { UsageError } from "../../src/ground/base/errors.ts";
import { randomNumbers } from "../../src/ground/base/random.ts";
import { u32 } from "../../src/ground/item/item-type.ts";
import { makePlan, type PlanWorkload } from "../../src/plan/conveyor/make-plan.ts";
import { planDocument } from "../../src/plan/document/document.ts";
import { formatPlan } from "../../src/plan/document/file.ts";
import { parsePlan } from "../../src/plan/document/schema.ts";
import { buffersOf, untilFull } from "../../src/plan/model/fill.ts";
import { simulate } from "../../src/running/simulate/simulate.ts";
import { syntheticMachine } from "../collectives/support/plans.ts";
import { rounds } from "../support/long.ts";

const test = suite("plans of conveyors");

const CASES = rounds(3, 5);
test("near the best of a sweep, and not worse than bale's rule and TRAM's defaults, in small cases", () => {
  for (const network of PLAN_NETWORKS) {
    const small = planCases({ cases: 200, network }).filter(
      ({ options, load }) => options.pes * load <= 10_000 && options.pes <= 16,
    );
    const all = small.slice(0, CASES).map(comparePlan);
    assert.is(all.length, CASES);
    const { plan, bale, tram } = planSummary(all);
    assert.ok(plan.median <= 0.03, `median ${plan.median}`);
    assert.ok(plan.worst <= 0.2, JSON.stringify(all.filter(({ regret }) => regret > 0.2)));
    assert.ok(Math.max(bale.planOverRule, tram.planOverRule) <= 0.05, JSON.stringify([network, bale, tram]));
  }
});

test("the same plan for the same machine and load", () => {
  const workload = { pes: 48, nodes: 4, itemBytes: 24, load: 777, maxBytes: 100_000 };
  const [a, b] = [makePlan(undefined, workload), makePlan(undefined, workload)];
  assert.equal(a.options, b.options);
  assert.is(a.explain(), b.explain());
});

test("what is forced is kept, alone and together; the budget too", () => {
  const base = { pes: 64, nodes: 8, itemBytes: 16, load: 1000 };
  const forced: Partial<PlanWorkload>[] = [
    { type: "simple" },
    { type: "trivial" },
    { hops: 1 },
    { hops: 2 },
    { hops: 3 },
    { hops: 2, groupSize: 16 },
    { bufferBytes: 3000 },
    { buffersPerLink: 4 },
    { type: "tensor", hops: 3, groupSize: 4, bufferBytes: 512, buffersPerLink: 2 },
  ];
  for (const some of forced) {
    const plan = makePlan(undefined, { ...base, ...some });
    for (const [name, value] of Object.entries(some)) assert.is(plan.options[name as "hops"], value);
    assert.equal(plan.forced, Object.keys(some));
    assert.match(plan.explain(), `forced: ${Object.keys(some).join(", ")}`);
  }
  // of two PEs a second hop has nowhere to go: as conveyors do
  const few = makePlan(undefined, { pes: 2, itemBytes: 8, load: 100, hops: 2, bufferBytes: 512 });
  assert.equal([few.options.hops, few.forced], [1, ["bufferBytes"]]);
  assert.match(few.explain(), /^ {2}forced: bufferBytes\n {2}not forced: hops 2, which would have no effect$/m);
  for (const maxBytes of [20_000, 100_000, 1_000_000]) {
    assert.ok(makePlan(undefined, { ...base, maxBytes }).expected.memory <= maxBytes);
  }
});

test("few items on many nodes: the nodes gather them, as one hop would send many small messages", () => {
  const plan = makePlan(undefined, { pes: 64, nodes: 8, itemBytes: 16, load: 100 });
  assert.ok(plan.expected.hops > 1);
  const one = makePlan(undefined, { pes: 64, nodes: 8, itemBytes: 16, load: 100, type: "tensor", hops: 1 });
  assert.is(one.expected.server, "ejection");
  assert.ok(one.expected.network > 5 * plan.expected.network && one.expected.time > 5 * plan.expected.time);
});

test("a forced mesh: as many hops as it has dimensions, told, and without hops and groups in the options", () => {
  const base = { pes: 105, nodes: 7, itemBytes: 16, load: 1000 };
  const { options, expected, forced, candidates, explain } = makePlan(undefined, {
    ...base,
    mesh: [3, 5, 7],
  });
  assert.equal(options.mesh, [3, 5, 7]);
  assert.equal([options.hops, options.groupSize], [undefined, undefined]);
  assert.equal([expected.hops, expected.groupSize], [3, 15]);
  assert.equal(forced, ["mesh"]);
  assert.ok(candidates > 10);
  // the greatest dimension is between the nodes, and no other
  assert.equal(
    expected.hopsTaken.map(({ remote }) => remote > 0),
    [true, false, false],
  );
  assert.match(
    explain(),
    /^tensor, 3 hops in a mesh of 3 x 5 x 7, .*\n(.*\n)* {2}the greatest dimension is between groups of 15: the nodes$/m,
  );
  // what has one PE along it makes no hop
  const flat = makePlan(undefined, { ...base, mesh: [1, 15, 7] });
  assert.equal([flat.options.mesh, flat.expected.hops, flat.forced], [[15, 7], 2, ["mesh"]]);
  const line = makePlan(undefined, { ...base, mesh: [105] });
  assert.equal([line.options.mesh, line.options.hops, line.forced], [undefined, 1, []]);
  // groups take hardly longer
  assert.is(makePlan(undefined, base).options.mesh, undefined);
});

test("when buffers are sent early: as forced, in the options and told; nothing else is chosen for it", () => {
  const base = { pes: 16, itemBytes: 16, load: 1000 };
  const free = makePlan(undefined, base);
  const sending = { threshold: 0.5, cutoff: 0.25, maxDelay: 2, maxBufferedBytes: 8192 };
  const plan = makePlan(undefined, { ...base, ...sending });
  assert.equal(plan.options, { ...free.options, ...sending });
  assert.equal([plan.forced, plan.expected], [Object.keys(sending), free.expected]);
  assert.match(
    plan.explain(),
    /\n {2}a buffer is sent 50 % full, with .* 25 % of it, after 2 ms.*, which the times and buffers here do not count\n {2}forced: threshold, cutoff, /,
  );
  assert.not.match(free.explain(), /a buffer is sent/);
  // an item that is larger than the cutoff, or fills the threshold
  for (const tiny of [{ cutoff: 1e-4 }, { threshold: 1e-9 }, { threshold: 1e-9, cutoff: 1e-9 }])
    assert.match(
      makePlan(undefined, { ...base, ...tiny }).explain(),
      /\n {2}a buffer is sent at once with each item, which/,
    );
  // a buffer with room for one item is sent with each anyway
  const single = makePlan(undefined, { ...base, bufferBytes: 16, threshold: 0.5 }).explain();
  assert.match(single, /\n {2}a buffer is sent at once with each item\n/);
  const alone = makePlan(undefined, { ...base, pes: 1, rate: 1e4, delayCost: 10 }).explain();
  assert.match(alone, /^1000 items of 16 B from 1 PE on 1 node:\n/);
  assert.match(alone, /buffers to 1 PE,/);
  assert.match(alone, /1 item in a buffer; no buffer of several items is of use \(4\.13\)/);
  const document = planDocument({ "*": plan });
  assert.equal(parsePlan(JSON.parse(formatPlan(document))).conveyors["*"]?.choice.maxDelay, 2);
  const { results } = simulate({ pes: 16, plan: document }, function* (pe) {
    yield* pe.turn();
    return pe.conveyor(u32).explain();
  });
  assert.match(results[0] as string, /a buffer is sent 50 % full/);
  // a delay that is forced comes before the planned one
  const rated = { ...base, rate: 1e6, delayCost: 0.01 };
  assert.match(makePlan(undefined, rated).explain(), /\n {2}maxDelay /);
  const given = makePlan(undefined, { ...rated, maxDelay: 7 });
  assert.is(given.options.maxDelay, 7);
  assert.match(given.explain(), /a buffer is sent after 7 ms/);
  assert.not.match(given.explain(), /\n {2}maxDelay /);
});

test("what cannot be is refused", () => {
  const base = { pes: 16, itemBytes: 8, load: 100 };
  const wrong: [object, RegExp][] = [
    [{ load: 0 }, /load: expected a number of items > 0 and at most 2\^53, got 0/],
    [{ itemBytes: "8" }, /itemBytes: expected a number of bytes/],
    [{ hops: 4 }, /hops: expected one of 1, 2, 3, got 4/],
    [{ type: "matrix" }, /type: expected one of/],
    [{ hops: 2, groupSize: 5 }, /no plan is possible with the forced choices/],
    [{ groupSize: 5 }, /no plan is possible with the forced choices/],
    [{ mesh: [3, 5] }, /no plan is possible with the forced choices: .* the sizes of a mesh/],
    [{ mesh: [4, 4], hops: 2 }, /mesh: expected no hops beside it/],
    [{ mesh: [16], type: "simple" }, /mesh: expected type "tensor" beside it/],
    [{ mesh: "4x4" }, /mesh: expected an array of one to 20 whole numbers/],
    [{ mesh: [16, ...new Array(20).fill(1)] }, /mesh: expected an array of one to 20 whole numbers >= 1, got/],
    [{ threshold: 0 }, /threshold: expected a fraction of a buffer: above 0/],
    [{ threshold: 0.8, cutoff: 0.4 }, /threshold, cutoff: expected a sum of at most 1, got 0\.8 \+ 0\.4/],
    [{ type: "trivial", maxDelay: 1 }, /maxDelay: a trivial conveyor sends each item by itself/],
    [{ type: "trivial", hops: 2 }, /no plan is possible with the forced choices/],
    [{ maxBytes: 1000 }, /maxBytes: expected more than 1000 bytes/],
    [{ nodes: 3 }, /nodes: expected a divisor/],
    [{ itemSize: 8 }, /^makePlan: unknown option 'itemSize'; did you mean 'itemBytes'\?/],
  ];
  for (const [some, message] of wrong) {
    assert.throws(
      () => makePlan(undefined, { ...base, ...some } as PlanWorkload),
      (error: Error) => error instanceof UsageError && message.test(error.message),
      JSON.stringify(some),
    );
  }
});

test("costs beyond all numbers: refused, or a plan that does without them", () => {
  const base = { pes: 8, nodes: 4, itemBytes: 4, load: 1000 };
  // the most that a network may have
  const huge = 2 ** 53;
  const nothing = { message: 0, byte: 0 };
  for (const network of [
    { alpha: huge },
    { beta: huge },
    { receiver: huge },
    { injection: { ...nothing, message: huge } },
    { ejection: { ...nothing, byte: huge } },
    { bisection: huge },
    { pieces: [{ from: 0, alpha: huge, beta: huge }] },
    { topology: { kind: "mesh", byte: huge } },
  ] as const) {
    try {
      const plan = makePlan(undefined, { ...base, network });
      for (const { time } of [plan.expected, ...plan.others]) assert.ok(Number.isFinite(time), `${time}`);
      // so that it can be written: JSON has no Infinity
      parsePlan(JSON.parse(formatPlan(planDocument({ "*": plan }, { network }))));
    } catch (error) {
      assert.instance(error, UsageError, String(error));
      assert.match((error as Error).message, /^plan: expected costs with which a time can be computed, got/);
    }
  }
  assert.throws(
    () => makePlan(undefined, { ...base, network: { alpha: 1e308 } }),
    /network\.alpha: expected a number from 0 to 2\^53, got 1e\+308/,
  );
  const machine = { ...syntheticMachine(2), send: [0, 1].map(() => [1e308, 1e308]) };
  assert.throws(() => makePlan(machine, { itemBytes: 4, load: 1000 }), /a time beyond all numbers/);
});

test("a conveyor with a load is made by its plan; without one by the defaults", () => {
  const { results } = simulate({ pes: 16, nodes: 4 }, function* (pe) {
    const planned = pe.conveyor(u32, { load: 100 });
    const hops = pe.conveyor(u32, { load: 100, hops: 3, maxBytes: 50_000 });
    const plain = pe.conveyor(u32);
    const elastic = pe.elasticConveyor({ load: 100, itemBytes: 200, maxBytes: 100_000 });
    const both = pe.biconveyor(u32, u32, (x: number) => x + 1, { load: 20 });
    let sum = 0;
    yield* planned.begin();
    for (let i = 0; yield* planned.advance(i === 100); ) {
      for (; i < 100; i++) if (!planned.push(i % 16, 1)) break;
      while (planned.pull()) sum += planned.item;
    }
    yield* planned.reset();
    return { sum, told: [planned, hops, plain, elastic, both].map((c) => c.explain()) };
  });
  const told = results[0]?.told as string[];
  assert.is(
    results.reduce((sum, one) => sum + one.sum, 0),
    1600,
  );
  assert.match(told[0], /^100 items of 4 B from each of 16 PEs on 4 nodes:\ntensor, 2 hops in groups of 4/);
  assert.match(told[1], /forced: hops/);
  assert.match(told[2], /^tensor, 1 hop, 2 x 16 KiB for each link: the defaults/);
  assert.match(told[3], /100 items of 208 B/);
  assert.match(told[4], /^queries: 20 items of 4 B[\s\S]*\nreplies: 20 items of 4 B/);
});

test("where no plan fits, the defaults decide; load and itemBytes are checked", () => {
  const inside = (options: object, item = u32) =>
    simulate({ pes: 4 }, function* (pe) {
      yield;
      return pe.conveyor(item, options).explain();
    }).results[0];
  assert.match(String(inside({ load: 10, maxBytes: 4300, buffersPerLink: 1 })), /no plan keeps to the limits/);
  assert.throws(() => inside({ load: -1 }), /load: expected a number of items > 0/);
  assert.throws(() => inside({ load: 1e308 }), /load: expected .* at most 2\^53, got 1e\+308/);
  assert.throws(() => inside({ load: 10, itemBytes: 8 }), /itemBytes: this option is for elastic conveyors/);
  // no buffer is as large as the one that is planned
  const elastic = simulate({ pes: 4 }, function* (pe) {
    yield;
    return pe.elasticConveyor({ load: 5, itemBytes: 1e9 }).explain();
  });
  assert.match(elastic.results[0] as string, /2 x 16 KiB for each link: no plan keeps to the limits/);
  assert.throws(() => inside({ load: 10, hops: 7 }), /hops: expected one of/);
});

test("bale's rule, as its source has it", () => {
  const rule = (pes: number, nodeSize: number) => baleRule({ pes, nodeSize, itemBytes: 8 }).hops;
  assert.equal([rule(16, 16), rule(16, 1), rule(1024, 32), rule(4096, 32), rule(6144, 32)], [1, 1, 2, 2, 3]);
  assert.is(baleRule({ pes: 64, nodeSize: 8, itemBytes: 8, maxBytes: 100_000 }).bufferBytes, 4096);
  const tram = (pes: number) => tramDefaults({ pes, nodeSize: 4, itemBytes: 8 });
  assert.equal([tram(7).hops, tram(64).groupSize, tram(24).groupSize], [1, 8, 6]);
  assert.is(tram(64).bufferBytes, 16_384);
});

test("how full buffers leave, against numbers that are drawn", () => {
  const random = randomNumbers(3);
  for (const [links, items, capacity] of [
    [8, 3, 2],
    [16, 20, 32],
    [16, 100, 25],
    [4, 500, 64],
  ] as const) {
    let buffers = 0;
    const rounds = 200;
    for (let round = 0; round < rounds; round++) {
      const counts = new Int32Array(links);
      for (let i = 0; i < links * items; i++) counts[Math.floor(random() * links)]++;
      for (const count of counts) buffers += Math.ceil(count / capacity) / links / rounds;
    }
    const expected = buffersOf(items, capacity);
    assert.ok(Math.abs(expected / buffers - 1) < 0.06, `${links} ${items} ${capacity}: ${expected}, ${buffers}`);
  }
  assert.ok(untilFull(16, 100) < 100 && untilFull(16, 100) > untilFull(256, 100));
});

test("PEs that are multiplied out of nodes are limited too", () => {
  const model = syntheticMachine(4);
  assert.throws(
    () => makePlan(model, { itemBytes: 8, load: 1000, nodes: 2 ** 30 }),
    (error: unknown) => error instanceof UsageError && /^pes: expected at most 1048576 PEs in all/.test(error.message),
  );
});

test.run();

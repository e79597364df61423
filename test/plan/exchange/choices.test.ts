/** Plans of exchanges: each choice for a reason that is in the model, so that another network or load has another one. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { nodeCosts, UNKNOWN_COSTS } from "../../../src/machine/model/node-costs.ts";
import { planDocument } from "../../../src/plan/document/document.ts";
import { parsePlan } from "../../../src/plan/document/schema.ts";
import { type ExchangeWorkload, makeExchangePlan } from "../../../src/plan/exchange/make-exchange-plan.ts";
import { planExchange } from "../../../src/plan/exchange/plan.ts";
import { costModelOver } from "../../../src/plan/model/over-nodes.ts";
import type { SimulatedNetwork } from "../../../src/plan/network/network.ts";
import { syntheticMachine } from "../../collectives/support/plans.ts";

const test = suite("plans of exchanges");

const KIB = 1024;

/** Receivers take four times as long for a byte as senders, and 4 packets can be underway to a node. */
const LIMITED: SimulatedNetwork = {
  ...{ alpha: 1500, beta: 0, queue: 4, packetBytes: 8 * KIB },
  ...{ injection: { message: 1000, byte: 2 }, ejection: { message: 1000, byte: 8 } },
};

const planned = (network: SimulatedNetwork, more: Partial<ExchangeWorkload> = {}, nodes = 8) =>
  makeExchangePlan(undefined, {
    pes: nodes,
    nodes,
    network,
    bytes: KIB * KIB,
    blockBytes: 64 * KIB,
    ...more,
  });

const residual = { median: 0, worst: 0 };
/** A node of one PE that sends 64 KiB in 530 us. @param times of a message of 64 KiB at a receiver, ns, by number of senders */
function measured(times: Readonly<Record<number, number>>): MachineModel {
  const line = { alpha: 20_000, beta: 8, residual };
  const bulk = Object.entries(times).map(([senders, time]) => ({
    ...{ senders: Number(senders), bytes: 64 * KIB, time },
  }));
  const pes = [
    {
      pes: 1,
      ...line,
      ...{ latency: [], stream: [], overhead: 1 },
      gap: { message: 5000, byte: 8, residual },
    },
  ];
  const incast = [{ senders: 1, time: 1700, busy: 1700 }];
  return { ...syntheticMachine(1), internode: { alpha: 20_000, beta: 8, sizes: [], pes, incast, bulk } };
}

const KEEPS = measured({ 1: 530_000, 7: 531_000 });
const COLLAPSES = measured({ 1: 530_000, 2: 700_000, 7: 2_000_000 });
const LOAD = { nodes: 8, bytes: 4 * KIB * KIB, blockBytes: 64 * KIB };

test("eager where receivers keep up with all senders, as measured", () => {
  const plan = makeExchangePlan(KEEPS, LOAD);
  assert.equal(plan.options, { discipline: "eager", chunkBytes: 64 * KIB });
  assert.match(
    plan.explain(),
    /incast, measured: a receiver gets 64 KiB every 530 us from 1 sender, 531 us from 7: receivers keep up/,
  );
});

test("one sender at a time where the measured incast collapses", () => {
  const plan = makeExchangePlan(COLLAPSES, LOAD);
  assert.is(plan.options.discipline, "barrier");
  assert.match(plan.explain(), /2 ms from 7: receivers do not keep up: 3\.77 x as long for a byte/);
  const eager = makeExchangePlan(COLLAPSES, { ...LOAD, discipline: "eager" });
  assert.ok(eager.expected.time > 3 * plan.expected.time);
  assert.match(plan.explain(), /not eager, .* \d\.\d\d x as much: several senders at one receiver/);
  assert.is(eager.others[0]?.discipline, "barrier");
});

test("on real networks tokens have a part of the loss, and rounds cost less than in the simulator", () => {
  const of = (discipline: "token" | "barrier" | "cyclic-shift") =>
    makeExchangePlan(COLLAPSES, { ...LOAD, discipline }).expected;
  assert.ok(of("token").crowd > 0);
  assert.ok(of("token").crowd < of("cyclic-shift").crowd);
  assert.is(of("barrier").crowd, 0);
  assert.ok(of("barrier").rounds > 0);
  assert.is(makeExchangePlan(KEEPS, { ...LOAD, discipline: "token" }).expected.crowd, 0);
});

test("rounds without data: uneven loads pay for fewer chunks than rounds", () => {
  const of = (skew: number) => planned(LIMITED, { skew, discipline: "barrier" }).expected;
  const per = (skew: number) => of(skew).time / of(1).time;
  // more than the busiest receiver, as PEs wait for each other; less than if the fullest pair counted in every round: 3.8
  assert.ok(per(1.5) > 1.5 && per(1.5) < 3, `${per(1.5)}`);
});

test("few senders collapse less: the measurement between them counts", () => {
  const times = [1, 2, 3, 7].map(
    (destinations) => makeExchangePlan(COLLAPSES, { ...LOAD, destinations, discipline: "eager" }).expected.crowd,
  );
  assert.equal(
    times.toSorted((a, b) => a - b),
    times,
  );
  assert.ok(times[3] > 3 * times[1]);
});

test("a model from before large messages were measured: eager, and it says why", () => {
  const { internode, ...rest } = COLLAPSES;
  const { bulk, ...before } = internode as NonNullable<MachineModel["internode"]>;
  const plan = makeExchangePlan({ ...rest, internode: before }, LOAD);
  assert.is(plan.options.discipline, "eager");
  assert.match(plan.explain(), /incast of large messages is not measured/);
  assert.is(bulk?.length, 3);
});

test("few receivers and collapse: rounds without a place for those without data", () => {
  const model = measured({ 1: 530_000, 2: 1_400_000, 31: 9_000_000 });
  const load = { nodes: 32, bytes: 4 * KIB * KIB, blockBytes: KIB * KIB, destinations: 4 };
  const plan = makeExchangePlan(model, load);
  assert.is(plan.options.discipline, "dynamic");
  assert.ok((plan.options.window as number) >= 2);
  assert.is.not(makeExchangePlan(model, { ...load, destinations: 31 }).options.discipline, "dynamic");
});

test("a hot spot in a network that collapses", () => {
  const plan = makeExchangePlan(COLLAPSES, { ...LOAD, skew: 3 });
  assert.is(plan.options.discipline, "barrier");
  const even = makeExchangePlan(COLLAPSES, LOAD);
  assert.ok(plan.expected.time > 2.5 * even.expected.time, "the receiver that gets three times as much");
  assert.is(makeExchangePlan(KEEPS, { ...LOAD, skew: 3 }).options.discipline, "eager");
});

test("limited queues: barriers for large blocks, none for small ones", () => {
  assert.is(planned(LIMITED).options.discipline, "barrier");
  assert.match(planned(LIMITED).explain(), /of a chunk's 10 packets at most 4 can be underway to a node/);
  assert.is(planned(LIMITED, { blockBytes: KIB }).options.discipline, "cyclic-shift");
  const { queue, ...unlimited } = LIMITED;
  assert.is(queue, 4);
  assert.is(planned(unlimited).options.discipline, "eager");
  assert.is(planned({ ...LIMITED, interleaved: true }).options.discipline, "eager");
});

test("barriers in hardware for smaller blocks than on a tree of messages", () => {
  const cm5: SimulatedNetwork = {
    ...{ beta: 0, injection: { byte: 66 }, ejection: { byte: 83, message: 300 } },
    ...{ queue: 4, packetBytes: KIB },
  };
  const load = { bytes: 256 * KIB, blockBytes: 4 * KIB };
  assert.is(planned({ ...cm5, barrier: 5000 }, load, 64).options.discipline, "barrier");
  assert.is.not(planned({ ...cm5, barrier: 200_000 }, load, 64).options.discipline, "barrier");
});

test("eager beside slower receivers is paced to what they take", () => {
  const forced = { discipline: "eager" } as const;
  const { pace = 0 } = planned(LIMITED, forced).options;
  assert.ok(pace > 0.85 * 125_000_000 && pace < 0.9 * 125_000_000, `${pace}`);
  assert.is(planned({ ...LIMITED, queue: undefined }, forced).options.pace, undefined);
});

test("a phase takes as long as a forced pace lets it, and such a plan is one", () => {
  const plan = planned(LIMITED, { pace: 1000 });
  assert.ok(plan.expected.time >= (KIB * KIB * 1e9) / 1000, `${plan.expected.time}`);
  assert.ok(parsePlan(planDocument({}, { exchanges: { rows: plan } })));
});

test("on one node, and alone: eager", () => {
  for (const pes of [1, 2, 16]) {
    const { options } = makeExchangePlan(undefined, { pes, bytes: KIB * KIB });
    assert.is(options.discipline, "eager");
  }
});

test("turns: no longer than a block, and large where rounds are dear", () => {
  assert.is(planned(LIMITED, { blockBytes: 3000 }).options.chunkBytes, 3000);
  const long = { bytes: 2 ** 25, blockBytes: 4 * KIB * KIB } as const;
  assert.is(
    planned({ ...LIMITED, barrier: 1_000_000 }, { ...long, discipline: "barrier" }).options.chunkBytes,
    2 ** 20,
  );
  assert.is(planned(LIMITED, { ...long, discipline: "eager", pace: 1e9 }).options.chunkBytes, 64 * KIB);
});

test("what is forced is kept, and the rest is chosen for it", () => {
  const forced = {
    discipline: "dynamic",
    chunkBytes: 2048,
    window: 5,
    packetBytes: 1024,
    buffersPerLink: 4,
  } as const;
  const plan = planned(LIMITED, forced);
  assert.equal(plan.options, forced);
  assert.equal(plan.forced.toSorted(), Object.keys(forced).sort());
  assert.match(plan.explain(), /forced: .*chunkBytes/);
  const tokens = planned(LIMITED, { discipline: "token", barrierEvery: 3 });
  assert.equal(tokens.forced, ["discipline", "barrierEvery"]);
  assert.throws(
    () => planned(LIMITED, { discipline: "eager", window: 5 }),
    /window: expected discipline "dynamic" .* got 5 with discipline "eager"\. Leave window out/,
  );
  // what the chosen discipline does not use is left out, so that the options can be given at a call
  const open = planned(LIMITED, { window: 5 });
  assert.is.not(open.options.discipline, "dynamic");
  assert.equal([open.options.window, open.forced], [undefined, []]);
  assert.match(open.explain(), /\n {2}not forced: window 5, which discipline \S+ does not use/);
  for (const discipline of ["static", "random", "request-token", "iterative-matching"] as const) {
    assert.is(planned(LIMITED, { discipline }).options.discipline, discipline);
  }
  assert.is(makeExchangePlan(COLLAPSES, { ...LOAD, discipline: "eager" }).options.discipline, "eager");
});

test("over nodes: of what all have measured the slowest counts", () => {
  const of = (machine: MachineModel) => nodeCosts(machine, "a file");
  const layout = {
    nodeOf: Int32Array.of(0, 1, 2, 3, 4, 5, 6, 7),
    sizes: new Array<number>(8).fill(1),
    areMapped: false,
    levels: [],
  };
  const disciplineOf = (costs: (typeof UNKNOWN_COSTS)[], areMapped = false) =>
    planExchange(costModelOver({ ...layout, areMapped, costs }, 64), LOAD).options.discipline;
  const keeping = new Array<typeof UNKNOWN_COSTS>(7).fill(of(KEEPS));
  assert.is(disciplineOf([...keeping, of(COLLAPSES)]), "barrier");
  assert.is(disciplineOf([...keeping, of(KEEPS)]), "eager");
  assert.is(disciplineOf([...keeping, UNKNOWN_COSTS]), "eager");
  assert.is(disciplineOf([...keeping, of(COLLAPSES)], true), "eager", "through memory");
});

test("more destinations and a greater skew than there can be count as all", () => {
  const of = (load: object) => makeExchangePlan(undefined, { pes: 4, nodes: 4, bytes: 1e5, ...load });
  assert.match(of({ destinations: 99 }).explain(), /from each of 4 PEs on 4 nodes to 3 others/);
  assert.is(of({ skew: 1e9 }).expected.time, of({ skew: 3 }).expected.time);
});

test("a machine that is none", () => {
  for (const machine of [5, "x", {}, [], null]) {
    assert.throws(
      () => makeExchangePlan(machine as never, { bytes: 1000 }),
      (error: Error) => error instanceof UsageError && /^machine: expected a machine model/.test(error.message),
    );
  }
});

test("loads and choices that are none", () => {
  const refused = (workload: object, message: RegExp) =>
    assert.throws(
      () => makeExchangePlan(undefined, workload as ExchangeWorkload),
      (error: Error) => error instanceof UsageError && message.test(error.message),
    );
  refused({}, /^bytes: expected a number of bytes > 0 and at most 2\^53, got undefined/);
  refused({ bytes: 0 }, /^bytes: expected/);
  refused({ bytes: 1, skew: 0.5 }, /^skew: expected a number >= 1, got 0\.5/);
  refused({ bytes: 1, discipline: "tokens" }, /^discipline: expected one of "eager"/);
  refused({ bytes: 1, load: 5 }, /unknown option 'load'/);
});

test.run();

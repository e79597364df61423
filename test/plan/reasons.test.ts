/** Why not another choice: whatever the load, the reason that is stated adds something, and as the numbers say. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { randomNumbers } from "../../src/ground/base/random.ts";
import { makePlan, type PlanWorkload } from "../../src/plan/conveyor/make-plan.ts";
import { makeExchangePlan } from "../../src/plan/exchange/make-exchange-plan.ts";
import { networks } from "../../src/plan/network/networks.ts";
import { planAggregation } from "../../src/plan.ts";
import { syntheticMachine } from "../collectives/support/plans.ts";
import { rounds } from "../support/long.ts";
import { SEED } from "../support/sample.ts";

const test = suite("reasons in plans");
const COUNT = rounds(150, 5000);
const NAMES = [undefined, ...Object.keys(networks)] as (keyof typeof networks | undefined)[];

/** A time of an explanation, ns. */
function nsOf(text: string): number {
  const [, value, unit = "ns"] = /^([\d.e+-]+) (ns|us|ms|s)/.exec(text) ?? [];
  return Number(value) * { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[unit as "ns"];
}

const A_TIME = "[\\d.e+-]+ (?:ns|us|ms|s)";
const INSTEAD = new RegExp(`(${A_TIME}) instead of (${A_TIME})`);

/** @param time of what was chosen */
function checkLines(text: string, time: number): void {
  for (const line of text.split("\n").filter((one) => /^\s*not (?!forced)/.test(one))) {
    const [, its = "", said = "", reason = ""] =
      /: ([\d.e+-]+ (?:ns|us|ms|s))(?: an item)?, (as long|as much|[\d.e+]+ % (?:more|less)|[\d.e+]+ x as much)(.*)$/.exec(
        line,
      ) ?? [];
    assert.ok(said, line);
    const ratio = nsOf(its) / time;
    // times have four digits
    if (/^as (long|much)$/.test(said)) assert.ok(Math.abs(ratio - 1) < 0.007, `${line} of ${time}`);
    if (/less/.test(said)) assert.ok(ratio < 0.997, `${line} of ${time}`);
    if (/more|x as much/.test(said)) assert.ok(ratio > 1.003, `${line} of ${time}`);
    if (/hardly a difference|is forced/.test(reason)) continue;
    const [, other, own] = INSTEAD.exec(reason) ?? [];
    if (other !== undefined && own !== undefined) assert.ok(nsOf(other) > nsOf(own), line);
    else assert.match(reason, /^: [a-z ]+, (?!0 ns)[\d.]+ (ns|us|ms|s)$|^; it takes .* a PE instead of /, line);
  }
}

/** @param play one workload by random numbers below n */
function drawn(name: string, play: (draw: <T>(from: readonly T[]) => T) => void): void {
  test(name, () => {
    for (let seed = SEED; seed < SEED + COUNT; seed++) {
      const random = randomNumbers(seed | 0);
      try {
        play((from) => from[Math.floor(random() * from.length)] as never);
      } catch (error) {
        throw new Error(`with the seed ${seed}: ${(error as Error).message}`, { cause: error });
      }
    }
  });
}

const SIZES = [1, 2, 4, 8, 16];

drawn("of exchanges", (draw) => {
  const nodes = draw(SIZES);
  const pes = nodes * draw([1, 2, 4]);
  const plan = makeExchangePlan(draw([undefined, syntheticMachine(4)]), {
    ...{ pes, nodes, network: draw(NAMES), bytes: draw([1, 100, 4096, 2 ** 20, 1e9]) },
    ...{ blockBytes: draw([undefined, 64, 65_536]), skew: draw([undefined, 1, 1.5, 8]) },
    discipline: draw([undefined, undefined, "eager", "token", "dynamic", "static", "random"] as const),
    chunkBytes: draw([undefined, undefined, 1000, 65_536]),
  });
  checkLines(plan.explain(), plan.expected.time);
  assert.not.match(plan.explain(), / add 0 ns/);
});

const workload = (draw: <T>(from: readonly T[]) => T): PlanWorkload => {
  const nodes = draw(SIZES);
  return {
    ...{ nodes, pes: nodes * draw([1, 2, 4]), network: draw(NAMES), itemBytes: draw([1, 8, 64, 1000]) },
    ...{ load: draw([1, 20, 1000, 1e6]), maxBytes: draw([undefined, undefined, 400_000]) },
    hops: draw([undefined, undefined, 1]),
  };
};

drawn("of conveyors", (draw) => {
  const plan = makePlan(draw([undefined, syntheticMachine(4)]), workload(draw));
  checkLines(plan.explain(), plan.expected.time);
  for (const { time, work, network, waiting } of [plan.expected, ...plan.others]) {
    assert.ok(Math.abs(Math.max(work, network) + waiting - time) <= 1e-9 * time || waiting === 0);
  }
});

drawn("of conveyors at a rate", (draw) => {
  const rate = draw([10, 1e3, 1e5, 1e6]);
  const plan = makePlan(undefined, {
    ...workload(draw),
    maxBytes: undefined,
    rate,
    delayCost: draw([0, 1e-4, 0.01, 1]),
  });
  checkLines(plan.explain(), plan.aggregation?.cost ?? plan.expected.time);
});

drawn("of aggregation", (draw) => {
  const { cost, aggregates, explain } = planAggregation({
    ...{
      alpha: draw([10, 1000, 1e5]),
      beta: draw([0, 0.1, 10]),
      rate: draw([1, 1e4, 1e6, 1e9]),
      itemBytes: draw([1, 8, 1000]),
    },
    ...{ delayCost: draw([0, 1e-3, 1, 100]), links: draw([1, 8]), bufferBytes: draw([undefined, 65_536]) },
  });
  const [first = ""] = explain().split("\n");
  const ratio = cost.total / cost.without;
  assert.is(first.startsWith("aggregate"), aggregates);
  if (/ less than/.test(first)) assert.ok(ratio < 0.996, first);
  if (/ more than| x as much/.test(first)) assert.ok(ratio > 1.004, first);
  assert.not.match(first, /(^| )0(\.0)? %/);
});

test.run();

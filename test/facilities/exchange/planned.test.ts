/** Who chooses for an exchange: its options, plans, a load, the defaults; what is refused, and what is planned again. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { exchange } from "../../../src/exchange.ts";
import { PlanError, UsageError } from "../../../src/ground/base/errors.ts";
import { u32 } from "../../../src/ground/item/item-type.ts";
import { type PlanDocument, type PlannedExchange, planDocument } from "../../../src/plan/document/document.ts";
import { makeExchangePlan } from "../../../src/plan/exchange/make-exchange-plan.ts";
import type { ExchangeChoice, ExchangeOptions } from "../../../src/route/disciplines/options.ts";
import { simulate } from "../../../src/running/simulate/simulate.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { samplePlan } from "../../plan/support/sample.ts";

const test = suite("plans of exchanges, where they are made");

interface World {
  readonly plan?: PlanDocument | undefined;
  readonly fit?: "exact" | "adapt";
  readonly pes?: number;
  readonly nodes?: number;
}

interface Made {
  readonly choice: ExchangeChoice;
  readonly text: string;
}

/** Large blocks wait for receivers that are slow and have few places: barriers. */
const NETWORK = {
  ...{ alpha: 1500, beta: 0, queue: 4, packetBytes: 8192 },
  ...{ injection: { message: 1000, byte: 2 }, ejection: { message: 1000, byte: 8 } },
};
const LOAD = { bytes: 2 ** 20, blockBytes: 65_536 };

/** What PE 0 of 8 virtual ones has made; all make the same. */
function made(world: World, options: ExchangeOptions): Made {
  const of = { pes: 8, nodes: 8, network: NETWORK, ...world };
  // biome-ignore lint/correctness/useYield: nothing is waited for
  const { results } = simulate(of, function* (pe) {
    const x = pe.exchange(options);
    const { choice } = x;
    const text = x.explain();
    x.free();
    return { choice, text };
  });
  assert.is(new Set(results.map((one) => JSON.stringify(one))).size, 1);
  return results[0] as Made;
}

function refused(world: World, options: ExchangeOptions): Error & { path?: string } {
  try {
    made(world, options);
  } catch (error) {
    return ((error as Error).cause ?? error) as Error;
  }
  throw new Error("accepted");
}

const choosing = (choice: PlannedExchange["choice"]): PlannedExchange => ({ workload: LOAD, choice });
const documentOf = (exchanges: PlanDocument["exchanges"], nodes = 8): PlanDocument => ({
  ...samplePlan({}),
  world: { pes: nodes, nodes, pesOfNode: new Array<number>(nodes).fill(1) },
  ...(exchanges === undefined ? {} : { exchanges }),
});
const world = documentOf({
  "*": choosing({ discipline: "token", chunkBytes: 8192, barrierEvery: 16 }),
  rows: choosing({ discipline: "dynamic", window: 4 }),
  "rows.last": choosing({ pace: 1e6 }),
});

test("without a plan: the defaults, and what is given", () => {
  const { choice, text } = made({}, { chunkBytes: 1000 });
  assert.equal(choice, {
    ...{ discipline: "eager", chunkBytes: 1000, packetBytes: 1000, buffersPerLink: 2, window: 31 },
    ...{ barrierEvery: 0, pace: Number.POSITIVE_INFINITY },
  });
  assert.match(text, /\nthe defaults and the given options; with \{ load \} a plan chooses$/);
});

test("a load: a plan for this network, given options stay", () => {
  const { choice, text } = made({}, { load: LOAD });
  assert.is(choice.discipline, "barrier");
  assert.is(choice.chunkBytes, 65_536);
  assert.match(text, /^discipline barrier: a PE sends in round a to PE i \+ a/);
  assert.match(
    text,
    /\nchosen by a plan for the load\n {2}1 MiB from each of 8 PEs on 8 nodes to 7 others, in blocks of 64 KiB:\n/,
  );
  assert.match(text, /a receiver takes 8\.00 ns for a byte, a sender 2\.00/);
  assert.match(text, /not eager, .* more: several senders at one receiver/);
  assert.is(made({}, { load: { ...LOAD, blockBytes: 512 } }).choice.discipline, "cyclic-shift");
  assert.is(made({}, { load: LOAD, discipline: "token" }).choice.discipline, "token");
  assert.is(made({}, { load: LOAD, chunkBytes: 4096 }).choice.chunkBytes, 4096);
  const all = made({}, { load: LOAD, discipline: "eager", chunkBytes: 10 });
  assert.match(all.text, /load: not used, as everything is chosen/);
});

/** The options; the discipline, its bytes of a turn, who has chosen, and what the text says. */
const table: [ExchangeOptions, string, number, RegExp][] = [
  [
    {},
    "token",
    8192,
    /\nchosen by exchanges\.\* of the option plan\n {2}exchanges\.\* of the option plan, for 1 MiB from/,
  ],
  [{ name: "other" }, "token", 8192, /chosen by exchanges\.\* of/],
  [
    { name: "rows" },
    "dynamic",
    8192,
    /chosen by exchanges\.rows of the option plan, then exchanges\.\* of the option plan\n/,
  ],
  [
    { name: "rows" },
    "dynamic",
    8192,
    /discipline: dynamic, exchanges\.rows of the option plan, not token as in exchanges\.\* of/,
  ],
  [{ name: "rows.first" }, "dynamic", 8192, /chosen by exchanges\.rows of/],
  [
    { name: "rows.last" },
    "dynamic",
    8192,
    /at most 1000000 B\/s\nchosen by exchanges\.rows\.last of .*, then exchanges\.rows of .*, then exchanges\.\* /,
  ],
  [{ discipline: "eager" }, "eager", 8192, /discipline: eager, given at the call, not token as in exchanges\.\* of/],
  [{ plan: { discipline: "barrier" } }, "barrier", 8192, /chosen by the call's plan, then exchanges\.\* of/],
  [{ plan: { options: { chunkBytes: 77 } }, name: "rows" }, "dynamic", 77, /chosen by the call's plan, then/],
  [
    { plan: documentOf({ "*": choosing({ discipline: "static" }) }) },
    "static",
    8192,
    /chosen by exchanges\.\* of the call's plan, then/,
  ],
  [{ plan: documentOf(undefined) }, "token", 8192, /the call's plan: not used, as it has no entry \*/],
  [{ load: LOAD }, "token", 8192, /load: not used, as everything is chosen/],
];
for (const [i, [options, discipline, chunkBytes, text]] of table.entries()) {
  test(`who chooses, ${i}: ${JSON.stringify(options).slice(0, 60)}`, () => {
    const one = made({ plan: world }, options);
    assert.is(one.choice.discipline, discipline);
    assert.is(one.choice.chunkBytes, chunkBytes);
    assert.match(one.text, text);
  });
}

test("what an entry leaves open, a load closes; what it has is forced", () => {
  const plan = documentOf({ "*": choosing({ chunkBytes: 4096 }) });
  const { choice, text } = made({ plan }, { load: LOAD });
  assert.is(choice.chunkBytes, 4096);
  assert.is.not(choice.discipline, "eager");
  assert.match(text, /chosen by exchanges\.\* of the option plan, then a plan for the load\n/);
});

test("a window or barriers for a discipline that has none: refused at the call, told of plans", () => {
  const wrong: [ExchangeOptions, RegExp][] = [
    [
      { discipline: "barrier", window: 4 },
      /^window: expected discipline "dynamic" beside the rounds .*, got 4 with discipline "barrier"\. Leave window out, or take/,
    ],
    [{ window: 4 }, /^window: .*, got 4 with discipline "eager", the default\. /],
    [
      { load: LOAD, discipline: "barrier", barrierEvery: 2 },
      /^barrierEvery: expected discipline "token" or "dynamic" beside the rounds .*, got 2 with discipline "barrier"\. /,
    ],
    [{ chunkBytes: 8, barrierEvery: 2 }, /^barrierEvery: .* got 2 with discipline "eager", the default/],
  ];
  for (const [options, message] of wrong) {
    const error = refused({}, options);
    assert.instance(error, UsageError);
    assert.match(error.message, message);
  }
  assert.is(made({}, { discipline: "dynamic", window: 4 }).choice.window, 4);
  assert.is(made({}, { discipline: "token", barrierEvery: 2 }).choice.barrierEvery, 2);
  const told: [ExchangeOptions, RegExp][] = [
    [{ discipline: "dynamic" }, /\na barrier after each round\n/],
    [{ discipline: "dynamic", barrierEvery: 0 }, /\ntokens in place of barriers\n/],
    [{ discipline: "dynamic", barrierEvery: 9 }, /\na barrier after every 9 rounds\n/],
  ];
  for (const [options, text] of told) assert.match(made({}, options).text, text);
  // whoever chooses the discipline may choose another one elsewhere
  const { choice, text } = made({ plan: world }, { window: 9 });
  assert.equal([choice.discipline, choice.barrierEvery], ["token", 16]);
  assert.match(text, /\n {2}window: not used, as the discipline is token$/m);
  const planned = made({}, { load: LOAD, window: 5 });
  assert.is(planned.choice.discipline, "barrier");
  assert.match(planned.text, /not forced: window 5, which discipline barrier does not use/);
});

test("choices that are not known are kept, and told", () => {
  const unknown = { discipline: "token", chunkByte: 8 } as PlannedExchange["choice"];
  const { text } = made({ plan: documentOf({ "*": choosing(unknown) }) }, {});
  assert.match(
    text,
    /exchanges\.\*\.choice of the option plan: not used: unknown choice 'chunkByte'; did you mean 'chunkBytes'\?/,
  );
  const c = samplePlan({ "*": { workload: { itemBytes: 8, load: 10 }, choice: { hop: 2 } as object } });
  const { results } = simulate({ pes: 8, nodes: 2, plan: c }, function* (pe) {
    yield* pe.turn();
    return pe.conveyor(u32).explain();
  });
  assert.match(results[0] as string, /unknown choice 'hop'; did you mean 'hops'\?/);
});

test("a plan of makeExchangePlan, in a document, planned again where it does not fit", () => {
  const four = makeExchangePlan(undefined, { pes: 4, nodes: 4, ...LOAD, network: NETWORK, chunkBytes: 2048 });
  const plan = planDocument({}, { exchanges: { rows: four }, network: NETWORK });
  const options = { name: "rows" };
  assert.is(made({ plan, pes: 4, nodes: 4 }, options).choice.discipline, four.options.discipline);
  const error = refused({ plan }, options);
  assert.instance(error, PlanError);
  assert.is(error.path, "world.nodes");
  const again = made({ plan, fit: "adapt" }, options);
  assert.is(again.choice.chunkBytes, 2048, "forced");
  assert.match(
    again.text,
    /exchanges\.rows of the option plan: planned again \(.* expected\), as world\.nodes: expected 8/,
  );
  assert.instance(refused({}, { plan, name: "rows" }), PlanError);
});

test("programs that await, and what pe.explain says", async () => {
  const { results } = await simulateAsync({ pes: 8, nodes: 8, network: NETWORK, plan: world }, async (pe) => {
    const before = pe.explain();
    const x = exchange(pe, { name: "rows" });
    await x.allAsync(Array.from({ length: pe.size }, () => Uint8Array.of(pe.rank)));
    x.free();
    return [before, pe.explain(), x.choice.discipline];
  });
  const [before, after, discipline] = results[0] as string[];
  assert.is(discipline, "dynamic");
  assert.match(before as string, /plan, exchanges\.rows: not used so far/);
  assert.match(after as string, /plan, exchanges\.rows: used\n/);
  assert.match(after as string, /plan, exchanges\.rows\.last: not used so far/);
});

test("options that are none", () => {
  const wrong = (options: object, message: RegExp) => {
    const error = refused({}, options);
    assert.instance(error, UsageError);
    assert.match(error.message, message);
  };
  wrong({ load: 5 }, /^load: expected an object with bytes, got 5/);
  wrong({ load: {} }, /^load\.bytes: expected a number of bytes/);
  wrong({ load: { bytes: 1, block: 2 } }, /^load: unknown option 'block'/);
  wrong({ load: { bytes: 1, skew: 0 } }, /^load\.skew: expected a number >= 1, got 0/);
  wrong({ plan: 5 }, /^plan: expected a plan tundish\/plan@1, or choices, got 5/);
  wrong({ plan: { discipline: "x" } }, /^discipline: expected one of "eager"|^plan/);
  wrong({ plan: { hops: 2 } }, /unknown option 'hops'/);
  assert.instance(refused({}, { plan: { schema: "tundish/plan@1" } as never }), PlanError);
});

test.run();

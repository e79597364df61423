/** Who chooses for a conveyor: its options, plans, a load, the defaults; what is refused, and what is planned again. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { decide, type Making } from "../../src/facilities/conveyor/front/decide.ts";
import { PlanError, UsageError } from "../../src/ground/base/errors.ts";
import { durationText } from "../../src/ground/base/units.ts";
import { bytes, u32 } from "../../src/ground/item/item-type.ts";
import { makePlan } from "../../src/plan/conveyor/make-plan.ts";
import { type PlanDocument, planDocument } from "../../src/plan/document/document.ts";
import { choose } from "../../src/route/geometry/conveyor-choice.ts";
import type { ConveyorOptions } from "../../src/route/geometry/options.ts";
import { type SimulatedPE, simulate } from "../../src/running/simulate/simulate.ts";
import { choosing, samplePlan } from "./support/sample.ts";

const test = suite("plans of conveyors");
const item = bytes(8);

interface World {
  readonly plan?: PlanDocument | undefined;
  readonly fit?: "exact" | "adapt";
  readonly nodes?: number;
  readonly pes?: number;
}

/** What PE 0 of 8 virtual ones says; all make the same. */
function told(world: World, make: (pe: SimulatedPE) => string): string {
  // biome-ignore lint/correctness/useYield: nothing is waited for
  const { results } = simulate({ pes: 8, nodes: 2, ...world }, function* (pe) {
    return make(pe);
  });
  assert.is(new Set(results).size, 1);
  return results[0] as string;
}

/** The error that making a conveyor gives, or the world. */
function refused(world: World, make: (pe: SimulatedPE) => unknown): Error & { path?: string } {
  try {
    told(world, (pe) => String(make(pe)));
  } catch (error) {
    return ((error as Error).cause ?? error) as Error;
  }
  throw new Error("accepted");
}

const world = samplePlan({
  "*": choosing({ type: "tensor", hops: 2, groupSize: 4, bufferBytes: 1024, buffersPerLink: 1 }),
  edges: choosing({ bufferBytes: 2048, buffersPerLink: 4 }),
  "edges.replies": choosing({ bufferBytes: 512 }),
  loose: choosing({ buffersPerLink: 4 }),
});
const only = samplePlan({ loose: choosing({ buffersPerLink: 4 }) });
const simple = samplePlan({ "*": choosing({ type: "simple", bufferBytes: 512 }) });
const called = samplePlan({ edges: choosing({ hops: 1 }), "*": choosing({ bufferBytes: 4096 }) });

const rated = samplePlan({
  "*": choosing({ hops: 1, threshold: 0.5, cutoff: 0.25, maxDelay: 9 }),
  ticks: choosing(
    { type: "tensor", hops: 1, bufferBytes: 512, buffersPerLink: 2, maxDelay: 0.5 },
    { workload: { itemBytes: 8, load: 1000, rate: 1e6, delayCost: 0.01 } },
  ),
});

/** The plan of the world, the options, the first line of explain(), and what its other lines say. */
const table: [plan: PlanDocument | undefined, options: ConveyorOptions, made: string, others: RegExp[]][] = [
  [
    undefined,
    {},
    "tensor, 1 hop, 2 x 16 KiB for each link: the defaults and the given options; with { load } a plan chooses",
    [],
  ],
  [
    world,
    {},
    "tensor, 2 hops in groups of 4, 1 x 1 KiB for each link: conveyors.* of the option plan",
    [
      /^ {2}conveyors\.\* of the option plan, for 1000 items of 8 B: 1\.5 us expected$/m,
      /^ {4}groups of 4: the nodes$/m,
    ],
  ],
  [
    world,
    { name: "edges" },
    "tensor, 2 hops in groups of 4, 4 x 2 KiB for each link: conveyors.edges of the option plan, then conveyors.* of the option plan",
    [/bufferBytes: 2048, conveyors\.edges of the option plan, not 1024 as in conveyors\.\* of the option plan/],
  ],
  [
    world,
    { name: "edges.replies" },
    "tensor, 2 hops in groups of 4, 4 x 512 B for each link: conveyors.edges.replies of the option plan, then conveyors.edges of the option plan, then conveyors.* of the option plan",
    [],
  ],
  [
    rated,
    { name: "ticks" },
    "tensor, 1 hop, 2 x 512 B for each link: conveyors.ticks of the option plan",
    [
      /threshold: open, as conveyors\.ticks of the option plan is planned for a rate, not 0\.5 as in conveyors\.\* of the option plan/,
      /cutoff: open, as conveyors\.ticks of the option plan is planned for a rate, not 0\.25/,
      /maxDelay: 0\.5, conveyors\.ticks of the option plan, not 9/,
    ],
  ],
  [
    world,
    { name: "others" },
    "tensor, 2 hops in groups of 4, 1 x 1 KiB for each link: conveyors.* of the option plan",
    [],
  ],
  [
    world,
    { bufferBytes: 256, hops: 1 },
    "tensor, 1 hop, 1 x 256 B for each link: conveyors.* of the option plan",
    [
      /hops: 1, given at the call, not 2 as in conveyors\.\* of the option plan/,
      /groupSize: open, as the number of hops is another, not 4/,
      /bufferBytes: 256, given at the call, not 1024/,
    ],
  ],
  [
    world,
    { type: "simple" },
    "simple, 1 hop, 1 x 1 KiB for each link: conveyors.* of the option plan",
    [/hops: open, as type simple is another, not 2/],
  ],
  [
    simple,
    { hops: 2, groupSize: 2 },
    "tensor, 2 hops in groups of 2, 2 x 512 B for each link: conveyors.* of the option plan",
    [/type: tensor, for 2 hops, given at the call, not simple as in conveyors\.\* of the option plan/],
  ],
  [
    simple,
    { plan: { hops: 3, groupSize: 2 } },
    "tensor, 3 hops in groups of 2, 2 x 512 B for each link: the call's plan, then conveyors.* of the option plan",
    [/type: tensor, for 3 hops, the call's plan, not simple/],
  ],
  [
    world,
    { plan: called },
    "tensor, 2 hops in groups of 4, 1 x 4 KiB for each link: conveyors.* of the call's plan, then conveyors.* of the option plan",
    [],
  ],
  [
    world,
    { plan: called, name: "edges" },
    "tensor, 1 hop, 4 x 4 KiB for each link: conveyors.edges of the call's plan, then conveyors.* of the call's plan, then conveyors.edges of the option plan, then conveyors.* of the option plan",
    [],
  ],
  [
    world,
    { plan: { hops: 1 } },
    "tensor, 1 hop, 1 x 1 KiB for each link: the call's plan, then conveyors.* of the option plan",
    [],
  ],
  [
    world,
    {
      plan: makePlan(undefined, {
        pes: 8,
        nodes: 2,
        itemBytes: 8,
        load: 10,
        hops: 1,
        bufferBytes: 640,
        buffersPerLink: 4,
      }),
    },
    "tensor, 1 hop, 4 x 640 B for each link: the call's plan",
    [/conveyors\.\* of the option plan: not used, as nothing is left open/],
  ],
  [
    world,
    { load: 10 },
    "tensor, 2 hops in groups of 4, 1 x 1 KiB for each link: conveyors.* of the option plan",
    [/load: not used, as plans have chosen everything/],
  ],
  [
    only,
    { load: 10, name: "loose" },
    "tensor, 2 hops in groups of 4, 4 x 256 B for each link: conveyors.loose of the option plan",
    [/10 items of 8 B from each of 8 PEs on 2 nodes:/, /forced: .*buffersPerLink/],
  ],
  [
    only,
    { name: "edges" },
    "tensor, 1 hop, 2 x 16 KiB for each link: the defaults and the given options; with { load } a plan chooses",
    [/the option plan: not used, as it has no entry for "edges", nor \*/],
  ],
  [
    world,
    { compress: true, type: "tensor" },
    "tensor, 2 hops in groups of 4, 1 x 1 KiB for each link: conveyors.* of the option plan",
    [],
  ],
];
for (const [plan, options, made, others] of table) {
  const what = Object.entries(options).map(([name, value]) => `${name}: ${typeof value === "object" ? "…" : value}`);
  test(`${plan === undefined ? "no plan" : Object.keys(plan.conveyors)}; ${what.join(", ") || "no options"}`, () => {
    const text = told({ plan }, (pe) => pe.conveyor(item, options).explain());
    assert.is(text.split("\n")[0], made);
    for (const other of others) assert.match(text, other);
  });
}

test("a name is among the terms, and what it may be", () => {
  const mismatch = refused({}, (pe) => pe.conveyor(u32, { name: pe.rank === 3 ? "a" : "b" }));
  assert.is(mismatch.name, "MismatchError");
  assert.match(mismatch.message, /name "a", items u32, type tensor/);
  for (const name of ["", "*", 5] as string[]) {
    assert.match(refused({}, (pe) => pe.conveyor(u32, { name })).message, /^name: expected a name other than \*, got/);
  }
});

test("the conveyors of a biconveyor have names of their own", () => {
  const text = told({ plan: world }, (pe) =>
    pe.biconveyor(u32, item, () => new Uint8Array(8), { name: "edges" }).explain(),
  );
  assert.match(text, /^queries: tensor, 2 hops in groups of 4, 4 x 2 KiB .*: conveyors\.edges of/m);
  assert.match(text, /^replies: tensor, 2 hops in groups of 4, 4 x 512 B .*: conveyors\.edges\.replies of/m);
});

test("a plan for a rate has decided when its buffers are sent", () => {
  const load = { pes: 8, nodes: 2, itemBytes: 8, load: 1000 };
  const early = { threshold: 0.05, cutoff: 0.01, maxDelay: 9, maxBufferedBytes: 4096 };
  const forAll = makePlan(undefined, { ...load, ...early });
  const rated = makePlan(undefined, { ...load, rate: 1e6, delayCost: 0.01 });
  const one = makePlan(undefined, { ...load, rate: 1e4, delayCost: 1 });
  assert.is(one.options.maxDelay, undefined);
  const { threshold: _, ...rest } = early;
  const plan = planDocument({ "*": forAll, edges: rated, one, plain: makePlan(undefined, load) });
  const of = (options: ConveyorOptions) => told({ plan }, (pe) => pe.conveyor(item, options).explain());
  const sent = (text: string) => /^ {2}a buffer is sent (.*)$/m.exec(text)?.[1];
  const own = `after ${durationText((rated.options.maxDelay as number) * 1e6)}`;
  const isOwn = (text: string, label: string, names: object) => {
    for (const [name, value] of Object.entries(names)) {
      const line = `  ${name}: open, as ${label} is planned for a rate, not ${value} as in conveyors.* of the option plan`;
      assert.ok(text.split("\n").includes(line), `${line}\n${text}`);
    }
  };
  for (const name of ["edges", "edges.queries"]) {
    assert.match(sent(of({ name })) as string, new RegExp(`^${own}( in all \\d hops)?$`));
    isOwn(of({ name }), "conveyors.edges of the option plan", { threshold: 0.05, cutoff: 0.01 });
  }
  // it waits for nothing, so it has no delay
  assert.is(sent(of({ name: "one" })), undefined);
  isOwn(of({ name: "one" }), "conveyors.one of the option plan", early);
  // a result of makePlan at the call
  assert.match(sent(of({ plan: rated })) as string, new RegExp(`^${own}( in all \\d hops)?$`));
  isOwn(of({ plan: rated }), "the call's plan", { threshold: 0.05 });
  // what is given counts, and so does a plan for all where none was for a rate
  assert.match(sent(of({ name: "edges", threshold: 0.5 })) as string, /^50 % full, after/);
  for (const text of [of({ name: "plain" }), of({ plan: makePlan(undefined, load) }), of({})])
    assert.match(sent(text) as string, /^5\.0 % full, with an item .*, after 9 ms.*, if it is the fullest/);
  assert.match(sent(of({ name: "plain", threshold: 0.5, ...rest })) as string, /^50 % full/);
});

test("a plan for another world", () => {
  const plan = samplePlan();
  const cases: [World, string, string][] = [
    [{ plan, pes: 9, nodes: 3 }, "world.nodes", "expected 3, the number of nodes here, got 2"],
    [{ plan, pes: 6 }, "world.pes", "expected 6, the number of PEs here, got 8"],
    [
      { plan: { ...plan, world: { ...plan.world, pesOfNode: [3, 5] } } },
      "world.pesOfNode.0",
      "expected 4, the PEs of node 0 here, got 3",
    ],
  ];
  for (const [other, path, reason] of cases) {
    const make = (pe: SimulatedPE) => pe.conveyor(item).explain();
    const error = refused(other, make);
    assert.instance(error, PlanError);
    assert.is(error.path, path);
    assert.ok(error.message.startsWith(`the option plan: ${path}: ${reason}. Plan again`), error.message);
    const text = told({ ...other, fit: "adapt" }, make);
    assert.match(text, `conveyors.* of the option plan: planned again (`);
    assert.match(text, `as ${path}: ${reason}`);
    // its number of hops was forced
    assert.match(text, /forced: hops/);
    // the same among the options of a conveyor
    const atCall = { ...other, plan: undefined };
    const { plan: document } = other;
    assert.is(refused(atCall, (pe) => pe.conveyor(item, { plan: document as PlanDocument })).path, path);
    assert.match(
      told({ ...atCall, fit: "adapt" }, (pe) => pe.conveyor(item, { plan: document as PlanDocument }).explain()),
      /conveyors\.\* of the call's plan: planned again/,
    );
  }
});

test("planned again: the groups that were forced are not possible, the number of hops is", () => {
  const forced = ["hops", "groupSize"];
  const plan = samplePlan({ "*": choosing({ hops: 2, groupSize: 4 }, { forced }) });
  const again = (pes: number) => told({ plan, fit: "adapt", pes, nodes: 1 }, (pe) => pe.conveyor(item).explain());
  assert.match(again(12), /^tensor, 2 hops in groups of 4, .*\n.* planned again \(/);
  assert.match(again(6), /^tensor, 2 hops in groups of [23], .*\n.* planned again, without the forced groupSize \(/);
});

test("planned again: a discipline stays, but where the call has a type without any", () => {
  const forced = ["bufferBytes", "discipline", "threshold"];
  const choice = { bufferBytes: 16, discipline: "token", threshold: 0.5 } as const;
  const plan = samplePlan({ "*": choosing(choice, { forced }) });
  const again = (options: ConveyorOptions, itemBytes = 8) =>
    told({ plan, fit: "adapt", pes: 6, nodes: 1 }, (pe) => pe.conveyor(bytes(itemBytes), options).explain());
  assert.match(again({}), /planned again \((.*\n)* +discipline: token, which/);
  assert.match(again({}, 1000), /planned again, without the forced bufferBytes \((.*\n)* +discipline: token, which/);
  const simple = again({ type: "simple" });
  assert.match(simple, /^simple, .*\n.* planned again/);
  assert.not.match(simple, /discipline|not forced: type/);
});

test("planned again with the network that the plan was given, if it can be here", () => {
  const { world: of, ...rest } = samplePlan();
  const network = { like: "cm-5", alpha: 7000 } as const;
  const given = { document: { ...rest, world: { ...of, network } }, source: "plan.json" };
  const adapting = { given, fit: "adapt", misfit: null, machines: [], trees: "" } as const;
  // a group of the world
  const context = { size: 6, pesOfNode: [3, 3], planning: { world: adapting, used: new Set<string>() } };
  const explained = (plan: Making["plan"]) =>
    decide(
      context,
      {},
      { itemBytes: 8, plan, assume: () => null, choose: (options) => choose(options, 6, 8) },
    ).explain();
  const planned = makePlan(undefined, { pes: 6, nodes: 2, itemBytes: 8, load: 1000 });
  const networks: unknown[] = [];
  const text = explained((_, between) => {
    networks.push(between);
    return planned;
  });
  assert.equal(networks, [network]);
  assert.match(text, /planned again \(/);
  const other = explained((_, between) => {
    if (between !== undefined) throw new UsageError("network.topology.columns: expected a divisor, got 4");
    return planned;
  });
  assert.match(other, /world\.network: not used, as network\.topology\.columns: expected a divisor, got 4/);
});

test("items larger than the planned buffers", () => {
  const big = bytes(2000);
  const error = refused({ plan: world }, (pe) => pe.conveyor(big));
  assert.instance(error, PlanError);
  assert.is(error.path, "conveyors.*.choice.bufferBytes");
  assert.match(error.message, /expected at least 2000, the bytes of an item here, got 1024\. Plan again/);
  const again = told({ plan: world, fit: "adapt" }, (pe) => pe.conveyor(big).explain());
  assert.match(again, /^tensor, 2 hops in groups of 2, .* KiB for each link: conveyors\.\* of the option plan\n/);
  assert.match(again, /planned again .* got 1024$/m);
  // others do not mind
  for (const options of [{ bufferBytes: 4096 }, { type: "trivial" as const }]) {
    assert.match(
      told({ plan: world }, (pe) => pe.conveyor(big, options).explain()),
      /^(tensor, 2 hops in groups of 4, 1 x 4 KiB|trivial, 1 hop, 1 x )/,
    );
  }
  assert.match(
    told({ plan: world }, (pe) => pe.elasticConveyor().explain()),
    /1 x 1 KiB/,
  );
});

test("choices that cannot be here", () => {
  const trivial = samplePlan({ "*": choosing({ type: "trivial" }) });
  assert.is(refused({ plan: trivial }, (pe) => pe.elasticConveyor()).path, "conveyors.*.choice.type");
  assert.match(
    told({ plan: trivial, fit: "adapt" }, (pe) => pe.elasticConveyor().explain()),
    /planned again/,
  );
  const small = refused({ plan: world }, (pe) => pe.conveyor(item, { maxBytes: 11_000 }));
  assert.instance(small, PlanError);
  assert.is(small.path, "conveyors.*.choice");
  assert.match(small.message, /expected choices that can be here, but maxBytes: expected at least \d+ bytes/);
  const fitted = told({ plan: world, fit: "adapt" }, (pe) => pe.conveyor(item, { maxBytes: 11_000 }).explain());
  assert.match(fitted, /^tensor, 2 hops in groups of 2, .*\n {2}conveyors\.\* of the option plan: planned again/);
  // what is wrong without the plan is no fault of it
  assert.match(
    refused({ plan: world }, (pe) => pe.conveyor(item, { groupSize: 3 })).message,
    /^groupSize: expected a divisor of 8/,
  );
  const options = { plan: { groupSize: 3 } } as const;
  assert.match(
    refused({}, (pe) => pe.conveyor(item, options)).message,
    /^the call's plan: options: expected .* groupSize: expected a divisor/,
  );
});

test("what is no plan", () => {
  const wrong: [unknown, string, RegExp][] = [
    ["plan.json", "UsageError", /^plan: expected a plan tundish\/plan@1, or choices, got "plan.json"/],
    [{ hop: 2 }, "UsageError", /^plan: unknown option 'hop'; did you mean 'hops'\?/],
    [{ schema: "tundish/machine@1" }, "PlanError", /^schema: expected "tundish\/plan@1"/],
  ];
  for (const [plan, name, message] of wrong) {
    const error = refused({}, (pe) => pe.conveyor(item, { plan: plan as never }));
    assert.is(error.name, name);
    assert.match(error.message, message);
  }
  assert.instance(
    refused({ fit: "loosely" as never }, () => ""),
    UsageError,
  );
  assert.instance(
    refused({ plan: {} as never }, () => ""),
    PlanError,
  );
});

test.run();

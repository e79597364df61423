/** Plans as documents: made, written, read, and refused, by the reader and by the JSON Schema. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { EnvironmentError, PlanError, UsageError } from "../../src/ground/base/errors.ts";
import { readMachine } from "../../src/machine/model/model.ts";
import { makePlan } from "../../src/plan/conveyor/make-plan.ts";
import { entriesFor, type PlanDocument, planDocument } from "../../src/plan/document/document.ts";
import { formatPlan, readPlan, writePlan } from "../../src/plan/document/file.ts";
import { parsePlan } from "../../src/plan/document/schema.ts";
import { makeExchangePlan } from "../../src/plan/exchange/make-exchange-plan.ts";
import type { SimulatedNetwork } from "../../src/plan/network/network.ts";
import { treesOf } from "../collectives/support/plans.ts";
import { fixture, root } from "../support/paths.ts";
import { choosing, type Loose, measuredEntry, samplePlan } from "./support/sample.ts";

const schema = JSON.parse(readFileSync(join(root, "schemas/plan.json"), "utf8")) as object;
const isOfSchema = new Ajv2020({ strict: true }).compile(schema);
const machine = await readMachine(fixture("machines", "c2c-aws-graviton3.json"));

const test = suite("plan documents");
let folder = "";
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), "tundish-plan-"));
});
test.after(() => rmSync(folder, { recursive: true }));

function refusal(document: unknown): PlanError {
  try {
    parsePlan(document);
  } catch (error) {
    if (error instanceof PlanError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(document)}`);
}

const both = planDocument(
  {
    "*": makePlan(machine, { pes: 8, nodes: 2, itemBytes: 16, load: 1000, maxBytes: 2 ** 20 }),
    edges: makePlan(machine, { pes: 8, nodes: 2, itemBytes: 4, load: 10, destinations: 3, hops: 2 }),
  },
  { machine: { ...machine, fingerprint: "0123456789abcdef" }, trees: treesOf(4, "binary") },
);

test("samples are accepted by the reader and by the schema, as they are", () => {
  const partial = samplePlan({ a: { workload: { itemBytes: 8, load: 1 }, choice: { hops: 1 } } });
  const tuned = samplePlan({ "*": choosing({ hops: 1 }, { measured: measuredEntry }) });
  const unknown = { ...samplePlan(), $schema: "./plan.json", later: { a: 1 } };
  for (const plan of [samplePlan(), samplePlan({}), partial, tuned, unknown, both] as PlanDocument[]) {
    const document = JSON.parse(formatPlan(plan)) as PlanDocument;
    assert.equal(parsePlan(document), document);
    assert.ok(isOfSchema(document), JSON.stringify(isOfSchema.errors));
  }
});

test("fields that are not known are kept if JSON can have them", () => {
  const circular: Record<string, unknown> = {};
  circular.again = circular;
  for (const [later, path, reason] of [
    [{ a: [1n] }, "later.a.0", "expected what JSON can have, got 1n"],
    [() => 1, "later", "expected what JSON can have, got [Function"],
    [circular, /^later(\.again){64}$/, /expected at most 64 levels, got more, or an object that contains itself/],
  ] as const) {
    const error = refusal({ ...samplePlan(), later });
    assert.match(error.path, path);
    assert.match(error.message, reason);
  }
});

test("what makePlan has chosen, and what it was for", () => {
  const { world, conveyors, created } = both;
  assert.equal(world, {
    ...{ pes: 8, nodes: 2, pesOfNode: [4, 4], name: machine.name },
    fingerprint: "0123456789abcdef",
  });
  assert.ok(Math.abs(Date.parse(created) - Date.now()) < 60_000);
  const { edges } = conveyors;
  assert.equal(edges?.workload, { itemBytes: 4, load: 10, destinations: 3 });
  assert.equal(edges?.forced, ["hops"]);
  assert.is(edges?.choice.hops, 2);
  assert.ok((edges?.expected?.time ?? 0) > 0);
  assert.match(edges?.reasons?.[0] ?? "", /^hop 1: .* buffers to \d PEs/);
  assert.is(conveyors["*"]?.workload.maxBytes, 2 ** 20);
});

/** What is spoilt, where the fault is, and what is said. Both the reader and the schema refuse each. */
const broken: [spoil: (plan: Loose) => void, path: string, reason: string][] = [
  [
    (p) => Object.assign(p, { schema: "tundish/plan@2" }),
    "schema",
    'expected "tundish/plan@1", got "tundish/plan@2": another version of the format; use the Tundish that wrote it, or plan again',
  ],
  [(p) => Object.assign(p, { created: "soon" }), "created", 'expected an ISO 8601 date, got "soon"'],
  [(p) => delete p.world, "world", "expected a value, got undefined"],
  [
    (p) => Object.assign(p.world as Loose, { pes: "8" }),
    "world.pes",
    'expected a whole number from 1 to 1048576, got "8"',
  ],
  [
    (p) => Object.assign(p.world as Loose, { pesOfNode: [4, 0] }),
    "world.pesOfNode.1",
    "expected a whole number from 1 to 1048576, got 0",
  ],
  [
    (p) => Object.assign(p, { conveyors: [] }),
    "conveyors",
    "expected an object with the plans of conveyors by name, got []",
  ],
  [(p) => delete entryOf(p).workload, "conveyors.*.workload", "expected a value, got undefined"],
  [
    (p) => Object.assign(entryOf(p).workload as Loose, { load: 0 }),
    "conveyors.*.workload.load",
    "expected a number of items > 0 and at most 2^53, got 0",
  ],
  [
    (p) => Object.assign(entryOf(p).choice as Loose, { hops: 4 }),
    "conveyors.*.choice.hops",
    "expected one of 1, 2, 3, got 4",
  ],
  [
    (p) => Object.assign(entryOf(p).choice as Loose, { type: "torus" }),
    "conveyors.*.choice.type",
    'expected one of "trivial", "simple", "tensor", got "torus"',
  ],
  [
    (p) => Object.assign(entryOf(p).expected as Loose, { time: -1 }),
    "conveyors.*.expected.time",
    "expected a number from 0 to 1e300, got -1",
  ],
  [
    (p) => Object.assign(entryOf(p), { measured: { ...measuredEntry, verdict: "won" } }),
    "conveyors.*.measured.verdict",
    'expected one of "predicted", "no difference", "fastest", got "won"',
  ],
  [
    (p) =>
      Object.assign(entryOf(p), {
        measured: { ...measuredEntry, others: [{ ...measuredEntry.others[0], low: "1" }] },
      }),
    "conveyors.*.measured.others.0.low",
    'expected a number >= 0, got "1"',
  ],
  [
    (p) => Object.assign(entryOf(p), { reasons: "none" }),
    "conveyors.*.reasons",
    'expected an array of lines of text, got "none"',
  ],
  [
    (p) => Object.assign(entryOf(p), { forced: ["maxDelay", "bogus"] }),
    "conveyors.*.forced.1",
    'expected one of "type", "hops", "groupSize", "bufferBytes", "buffersPerLink", "mesh", "discipline", "threshold", "cutoff", "maxDelay", "maxBufferedBytes", got "bogus"',
  ],
  [
    (p) => Object.assign(entryOf(p), { choice: [] }),
    "conveyors.*.choice",
    "expected an object {type, hops, groupSize, mesh, bufferBytes, buffersPerLink, discipline, …}, got []",
  ],
  [
    (p) => Object.assign(p.world as Loose, { network: { like: "bogus" } }),
    "world.network.like",
    'expected one of "cm-5", "paragon", "alewife", "xc30", "omni-path", "summit", "stampede2", "cori", "frontera", "measured", got "bogus"',
  ],
  [
    (p) => Object.assign(p.world as Loose, { network: { topology: { kind: "ring" } } }),
    "world.network.topology.kind",
    'expected one of "full", "mesh", "fat-tree", got "ring"',
  ],
  [
    (p) => Object.assign(p, { trees: 5 }),
    "trees",
    "expected trees over the ranks 0 to 3, got 5. Generate it from a model with one PE per rank (generateTrees), or leave them out.",
  ],
];
const entryOf = (plan: Loose): Loose => (plan.conveyors as Loose)["*"] as Loose;

for (const [spoil, path, reason] of broken) {
  test(`broken: ${path}: ${reason.slice(0, 60)}`, () => {
    const plan = samplePlan() as unknown as Loose;
    spoil(plan);
    const error = refusal(plan);
    assert.is(error.code, "ERR_TUNDISH_PLAN");
    assert.is(error.path, path);
    assert.is(error.message, `${path}: ${reason} [ERR_TUNDISH_PLAN]`);
    assert.not(isOfSchema(plan));
  });
}

const over = (network: SimulatedNetwork): PlanDocument => {
  const plan = samplePlan();
  return { ...plan, world: { ...plan.world, network } };
};
/** What no single field shows, and so no schema. */
const contradictory: [plan: PlanDocument, path: string, reason: RegExp][] = [
  [
    { ...samplePlan(), world: { pes: 8, nodes: 3, pesOfNode: [4, 4] } },
    "world.pesOfNode",
    /expected 3 numbers, one per node, got 2/,
  ],
  [
    { ...samplePlan(), world: { pes: 9, nodes: 2, pesOfNode: [4, 4] } },
    "world.pes",
    /expected 8, the PEs of all nodes, got 9/,
  ],
  [
    samplePlan({ a: choosing({ type: "simple", hops: 3 }) }),
    "conveyors.a.choice.hops",
    /expected at most 2, as a simple conveyor has one or two hops, got 3/,
  ],
  [
    samplePlan({ a: choosing({ mesh: [3, 3] }) }),
    "conveyors.a.choice.mesh",
    /expected sizes whose product is 8, the number of PEs, got 9/,
  ],
  [
    samplePlan({ a: choosing({ mesh: [2, 4], hops: 2 }) }),
    "conveyors.a.choice.mesh",
    /expected no hops beside it, which it determines, got 2/,
  ],
  [
    samplePlan({ a: choosing({ mesh: [8], groupSize: 2 }) }),
    "conveyors.a.choice.mesh",
    /expected no groupSize beside it/,
  ],
  [
    samplePlan({ a: choosing({ mesh: [8], type: "simple" }) }),
    "conveyors.a.choice.mesh",
    /expected type "tensor" beside it, .* got "simple"/,
  ],
  [
    samplePlan({ a: choosing({ groupSize: 3 }) }),
    "conveyors.a.choice.groupSize",
    /expected a divisor of 8, the number of PEs, got 3/,
  ],
  [
    over({ topology: { kind: "mesh", byte: 1, columns: 3 } }),
    "world.network.topology.columns",
    /expected a divisor of the number of nodes \(2\), got 3/,
  ],
  [
    over({ pieces: [8, 8].map((from) => ({ from, alpha: 1, beta: 1 })) }),
    "world.network.pieces.1.from",
    /expected more than 8, got 8/,
  ],
  [
    { ...samplePlan(), trees: treesOf(8, "binary") },
    "trees",
    /expected trees over the ranks 0 to 3, got trees over the PEs 0, 1,/,
  ],
];
for (const [plan, path, reason] of contradictory) {
  test(`contradictory: ${path}`, () => {
    const error = refusal(plan);
    assert.is(error.path, path);
    assert.match(error.message, reason);
  });
}

test("entries whose names objects have are checked like all others", () => {
  for (const name of ["constructor", "prototype", "__proto__", "toString"]) {
    const having = (entry: unknown) =>
      JSON.parse(JSON.stringify(samplePlan()).replace('"*":', () => `"${name}":${JSON.stringify(entry)},"*":`));
    const spoilt = [
      [null, `conveyors.${name}`, /expected an object \{workload, choice\}, got null/],
      [{}, `conveyors.${name}.workload`, /expected a value, got undefined/],
      [choosing({ hops: 9 as never }), `conveyors.${name}.choice.hops`, /expected one of 1, 2, 3, got 9/],
      [choosing({ groupSize: 3 }), `conveyors.${name}.choice.groupSize`, /expected a divisor of 8/],
    ] as const;
    for (const [entry, path, reason] of spoilt) {
      const error = refusal(having(entry));
      assert.is(error.path, path);
      assert.match(error.message, reason);
    }
    const document = having(choosing({ hops: 1 }));
    assert.equal(parsePlan(document), document);
    assert.is(entriesFor(document.conveyors, name)[0]?.[0], name);
  }
});

test("what is no document", () => {
  for (const wrong of [null, 5, "plan", [], undefined]) {
    assert.is(refusal(wrong).path, "");
    assert.match(refusal(wrong).message, /^expected a plan \(an object\), got/);
  }
});

test("written, and read by path and URL; faults name the file", async () => {
  const file = join(folder, "plan.json");
  await writePlan(pathToFileURL(file), both);
  assert.equal(await readPlan(file), JSON.parse(JSON.stringify(both)));
  assert.equal(await readPlan(pathToFileURL(file)), await readPlan(file));
  const fault = async (path: string): Promise<PlanError> => {
    const error = await readPlan(path).catch((error: unknown) => error);
    assert.instance(error, PlanError);
    return error as PlanError;
  };
  for (const path of [5, "", new URL("https://example.org/plan.json"), undefined]) {
    const error = await readPlan(path as string).catch((thrown: unknown) => thrown);
    assert.instance(error, UsageError);
    assert.match((error as Error).message, /^path: expected the path or the file: URL of a file, got /);
  }
  const none = await fault(join(folder, "none.json"));
  assert.match(none.message, /none\.json: expected a plan, but it cannot be read .* Make one with: tundish plan/);
  const content = await fault(formatPlan(both));
  assert.match(content.message, /^"\{\\n .*…": expected a plan, but it cannot be read \(E[A-Z]+:/);
  assert.ok(content.message.length < 800, `${content.message.length} characters`);
  writeFileSync(file, "{");
  assert.match((await fault(file)).message, /plan\.json: expected JSON:/);
  writeFileSync(file, JSON.stringify({ ...both, world: 5 }));
  const spoilt = await fault(file);
  assert.is(spoilt.path, "world");
  assert.match(spoilt.message, /plan\.json: world: expected an object \{pes, nodes, pesOfNode\}, got 5/);
  const failed = (promise: Promise<void>) => promise.catch((error: unknown) => error);
  assert.instance(await failed(writePlan(join(folder, "no/plan.json"), both)), EnvironmentError);
  assert.instance(await failed(writePlan(file, {} as never)), PlanError);
});

test("the network that a plan was made with, by its parts or its name", () => {
  const plan = makePlan(undefined, { pes: 4, nodes: 2, itemBytes: 8, load: 10, network: "cm-5" });
  const made = (network: SimulatedNetwork | "cm-5") => planDocument({ "*": plan }, { network }).world.network;
  assert.equal(made("cm-5"), { like: "cm-5" });
  assert.equal(made({ like: "cm-5", alpha: 1, beta: undefined }), { like: "cm-5", alpha: 1 });
});

test("plans for different worlds make no document", () => {
  const [a, b] = [4, 8].map((pes) => makePlan(undefined, { pes, itemBytes: 8, load: 10 }));
  assert.throws(
    () => planDocument({ "*": a as never, b: b as never }),
    (error: Error) =>
      error instanceof UsageError && /got 4 PEs on 1 nodes for "\*" and 8 on 1 for "b"/.test(error.message),
  );
  assert.throws(
    () => planDocument({}),
    (error: Error) => error instanceof UsageError,
  );
});

test("the entries of a name: its own, those before its dots, that for all", () => {
  const conveyors = { a: choosing({}), "a.b": choosing({}), "*": choosing({}), b: choosing({}) };
  const namesFor = (name?: string) => entriesFor(conveyors, name).map(([one]) => one);
  assert.equal(namesFor("a.b.c"), ["a.b", "a", "*"]);
  assert.equal(namesFor("a.x"), ["a", "*"]);
  assert.equal(namesFor(), ["*"]);
  assert.equal(namesFor("constructor"), ["*"]);
  assert.equal(entriesFor({}, "a"), []);
});

test("plans that are none, or of the other kind, are refused when a document is made", () => {
  const conveyor = makePlan(undefined, { pes: 4, itemBytes: 8, load: 100 });
  const exchange = makeExchangePlan(undefined, { pes: 4, bytes: 1000 });
  const wrong: [plans: unknown, options: unknown, message: RegExp][] = [
    [{ rows: exchange }, {}, /^plans\.rows: expected a result of makePlan/],
    [{ rows: 5 }, {}, /^plans\.rows: expected a result of makePlan, got 5/],
    [{}, { exchanges: { rows: conveyor } }, /^exchanges\.rows: expected a result of makeExchangePlan/],
    [{}, { exchanges: { "": exchange } }, /^exchanges: expected names that are not empty, got ""/],
    [{ "*": conveyor }, { exchange: { rows: exchange } }, /unknown option .?exchange/],
    [[conveyor], null, /expected/],
  ];
  for (const [plans, options, message] of wrong) {
    assert.throws(
      () => planDocument(plans as never, options as never),
      (error: unknown) => error instanceof UsageError && message.test(error.message),
    );
  }
  assert.ok(parsePlan(planDocument({ "*": conveyor }, { exchanges: { rows: exchange } })));
});

test.run();

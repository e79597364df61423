/**
 * One field of a good plan is broken, in any way that JSON allows: the reader and the JSON Schema refuse the same documents, the
 * reader with the path of what is broken.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PlanError } from "../../src/ground/base/errors.ts";
import { makePlan } from "../../src/plan/conveyor/make-plan.ts";
import { planDocument } from "../../src/plan/document/document.ts";
import { parsePlan } from "../../src/plan/document/schema.ts";
import { makeExchangePlan } from "../../src/plan/exchange/make-exchange-plan.ts";
import { chain, disseminating, hybrid } from "../collectives/support/plans.ts";
import { broken, type Path, pathsOf, wrong } from "../support/broken-documents.ts";
import { rounds } from "../support/long.ts";
import { root } from "../support/paths.ts";
import { choosing, type Loose, measuredEntry, samplePlan } from "./support/sample.ts";

const schema = JSON.parse(readFileSync(join(root, "schemas/plan.json"), "utf8")) as object;
const isOfSchema = new Ajv2020({ strict: true }).compile(schema);

const network = {
  ...{ like: "measured", alpha: 1500, beta: 0.1, receiver: 300, queue: 4, packetBytes: 512 },
  pieces: [
    { from: 0, alpha: 1, beta: 2 },
    { from: 1024, alpha: 3, beta: 1 },
  ],
  ...{
    injection: { message: 1, byte: 2 },
    ejection: { byte: 1 },
    interleaved: true,
    processor: true,
    control: true,
    bisection: 0.5,
  },
};
const topologies = [
  { kind: "full", byte: 1 },
  { kind: "mesh", byte: 1, columns: 2 },
  { kind: "fat-tree", levels: [{ children: 2, byte: 1 }, { byte: 0.5 }] },
];
const planned = makePlan(undefined, { pes: 8, nodes: 2, itemBytes: 16, load: 1000, destinations: 3 });
const meshed = makePlan(undefined, { pes: 8, nodes: 2, mesh: [2, 1, 2, 2], itemBytes: 16, load: 1000 });
const rated = makePlan(undefined, {
  ...{ pes: 8, nodes: 2, itemBytes: 16, load: 1000 },
  ...{ rate: 1e6, delayCost: 0.01 },
});
const entries = {
  meshed: choosing(meshed.options, { expected: meshed.expected, forced: ["mesh"] }),
  edges: choosing({ hops: 1 }, { measured: measuredEntry, candidates: 3 }),
  "*": choosing(planned.options, { expected: planned.expected, others: planned.others, forced: ["type"] }),
};
const exchanged = makeExchangePlan(undefined, {
  pes: 8,
  nodes: 2,
  bytes: 2 ** 20,
  discipline: "dynamic",
  skew: 2,
});
const { exchanges } = planDocument({}, { exchanges: { rows: exchanged, "*": exchanged } });
const { world } = samplePlan();

/** Good plans, which have every field together. */
const good: readonly Loose[] = [
  ...topologies.map((topology) => ({
    ...samplePlan(entries),
    world: { ...world, fingerprint: "0123456789abcdef", network: { ...network, topology } },
  })),
  ...[chain(4), disseminating(4), hybrid(4)].map((trees) => ({ ...samplePlan(), trees })),
  { ...samplePlan({ "*": choosing({}) }), later: { field: [1] } },
  { ...samplePlan({}), exchanges },
  planDocument({ "*": rated }),
].map((plan) => JSON.parse(JSON.stringify(plan)) as Loose);

/** What several fields must be together, which a schema cannot say; and trees, of which it says the outline. */
const TOGETHER =
  /^(world\.pes|world\.pesOfNode|conveyors\..*\.choice\.(hops|groupSize)|conveyors\..*\.mesh(\.\d)?|.*\.(expected|others\.\d+)\.time|.*\.measured\..*(low|high)|exchanges\..*\.choice\.(chunk|packet)Bytes|trees\b.*|world\.network\.(pieces\.\d+\.from|topology.*))$/;

function refusal(document: unknown): PlanError | null {
  try {
    parsePlan(document);
    return null;
  } catch (error) {
    // any other class is a fault of the reader
    assert.instance(error, PlanError, String((error as Error).stack));
    return error as PlanError;
  }
}

const test = suite("broken plans");

for (const [number, plan] of good.entries()) {
  test(`one field of plan ${number} is broken`, () => {
    assert.is(refusal(plan)?.message, undefined);
    assert.ok(isOfSchema(plan), JSON.stringify(isOfSchema.errors));
    const breaking = fc.property(fc.constantFrom(...pathsOf(plan)), wrong, (path, value) => {
      const document = broken(plan, path, value);
      const error = refusal(document);
      const isValid = isOfSchema(document);
      if (error === null) return assert.ok(isValid, `accepted, but ${JSON.stringify(isOfSchema.errors)}`);
      assert.is(error.code, "ERR_TUNDISH_PLAN");
      assert.ok(error.message.startsWith(`${error.path}: expected `), error.message);
      if (TOGETHER.test(error.path)) return;
      assert.not(isValid, `the schema accepts it, but ${error.message}`);
      const place = path.join(".");
      assert.ok(`${error.path}.`.startsWith(`${place}.`) || isMissing(error, path, value), error.message);
    });
    // prints the seed of a failure
    fc.assert(breaking, { numRuns: rounds(1000, 20_000) });
  });
}

/** Whether it names the field that was taken away, or that an entry behind a removed one has moved to. */
const isMissing = ({ path }: PlanError, removed: Path, value: unknown): boolean =>
  value === undefined && path.startsWith(removed.slice(0, -1).join("."));

test.run();

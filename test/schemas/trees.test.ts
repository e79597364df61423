/** schemas/trees.json accepts what generateTrees returns, and refuses what a world refuses. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../src/ground/base/errors.ts";
import { algorithms, baselines } from "../../src/ground/base/tree-algorithms.ts";
import { readMachine } from "../../src/machine/model/model.ts";
import { generateTrees } from "../../trees/generate/generate.ts";
import { checkTrees } from "../../trees/model/check-world-trees.ts";
import { disseminating, hybrid } from "../collectives/support/plans.ts";
import { broken, type Loose, pathsOf, wrong } from "../support/broken-documents.ts";
import { rounds } from "../support/long.ts";
import { fixture } from "../support/paths.ts";
import { faultsOf, validator } from "./support/schemas.ts";

const test = suite("the schema of trees");
const isOfSchema = validator("trees.json");
const machine = await readMachine(fixture("machines", "smelt-intel-xeon-e5-v2-2x10.json"));
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as Loose;

const PES = 4;
const generated = asJson(generateTrees(machine, { cores: [0, 1, 2, 3] }));
const contestant = { name: "smelt", predicted: 100, measured: 110, spread: 0.1, won: 3 };
const contest = {
  ...{ turns: 5, steady: true },
  ...{ broadcast: [contestant], reduce: [contestant], barrier: [contestant] },
};
const { broadcast, reduce } = generated as { broadcast: { root: number }; reduce: Loose };
const asTree = { kind: "tree", latency: 5, root: broadcast.root, broadcast, reduce: { ...broadcast } };
/** Trees with each kind of barrier. */
const good: Loose[] = [
  generated,
  { ...generated, contest },
  { ...generated, barrier: asTree },
  { ...generated, barrier: disseminating(PES).barrier },
  { ...generated, barrier: hybrid(PES).barrier },
].map(asJson);

test("trees of other groups and algorithms follow it", () => {
  assert.ok(reduce);
  for (const cores of [[5], [7, 3], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]) {
    const trees = asJson(generateTrees(machine, { cores, moves: 100 }));
    assert.is(faultsOf("trees.json", trees), "", cores.join());
  }
  for (const algorithm of algorithms) {
    const trees = asJson(generateTrees(machine, { cores: [0, 1, 10, 11], algorithm }));
    assert.is(faultsOf("trees.json", trees), "", algorithm);
  }
});

test("it has the names of all algorithms", () => {
  const { properties, $defs } = isOfSchema.schema as {
    properties: { baselines: { items: { properties: { algorithm: { enum: string[] } } } } };
    $defs: { tree: { properties: { algorithm: { enum: string[] } } } };
  };
  assert.equal(properties.baselines.items.properties.algorithm.enum, [...baselines]);
  assert.equal($defs.tree.properties.algorithm.enum, [...algorithms]);
});

/** What several fields must be together. */
const BEYOND =
  /reached twice|not reached from|expected to reach each|each PE once|the same PEs|own root|expected the leader|a tree for each|trees over the ranks/;
/** Fields of the document that a world does not need. */
const UNREAD = new Set(["schema", "machine", "unit", "baselines", "bound"]);

function refusal(document: unknown): UsageError | null {
  try {
    checkTrees(document, PES);
    return null;
  } catch (error) {
    // any other class is a fault of the reader
    assert.instance(error, UsageError, String((error as Error).stack));
    return error as UsageError;
  }
}

for (const [number, trees] of good.entries()) {
  test(`one field of trees ${number} is broken: both refuse it, or both accept it`, () => {
    assert.is(refusal(trees), null);
    assert.is(faultsOf("trees.json", trees), "");
    const paths = pathsOf(trees).filter(([name]) => !UNREAD.has(name as string));
    const breaking = fc.property(fc.constantFrom(...paths), wrong, (path, value) => {
      const document = broken(trees, path, value);
      const error = refusal(document);
      const isValid = isOfSchema(document);
      if (error === null) return assert.ok(isValid, `accepted, but ${JSON.stringify(isOfSchema.errors)}`);
      if (!BEYOND.test(error.message)) assert.not(isValid, `the schema accepts it, but ${error.message}`);
    });
    // prints the seed of a failure
    fc.assert(breaking, { numRuns: rounds(400, 20_000) });
  });
}

test("what a world does not need is needed by the schema", () => {
  for (const name of UNREAD) {
    const { [name]: _, ...less } = generated;
    assert.is(refusal(less), null);
    assert.not(isOfSchema(less), name);
  }
});

test.run();

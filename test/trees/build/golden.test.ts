/**
 * Smelt's own generator printed 51 trees for its 20-core Xeon; ours are the same, with the same
 * children in the same order and the same latencies.
 *
 * The two numbers that the Simulator printed are the latencies of a broadcast and a reduction, except
 * for the shuffled trees: there it evaluates the broadcast twice, before the shuffle and after it.
 */
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { builders } from "../../../trees/build/builders.ts";
import { smelt, smeltBase } from "../../../trees/build/smelt.ts";
import { shuffle } from "../../../trees/build/smelt-shuffle.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import { broadcastLatency, reduceLatency } from "../../../trees/model/latency.ts";
import { treeProblem } from "../../../trees/model/problem.ts";
import { treeOf } from "../../../trees/model/shape.ts";
import type { Baseline, TreeBuilder } from "../../../trees/model/tree.ts";
import { fixture } from "../../support/paths.ts";
import { loadMachine } from "../support/reference.ts";

interface Golden {
  topology: string;
  cores: "all" | number[];
  root: number;
  children: Record<string, number[]>;
  broadcast: number;
  reduction: number;
}

const published: Record<string, Baseline> = {
  "adaptivetree-shuffle-sort": "smelt",
  sequential: "sequential",
  bintree: "binary",
  fibonacci: "fibonacci",
  mst: "mst",
  badtree: "bad",
  cluster: "cluster",
};
const stages: Record<string, TreeBuilder> = {
  adaptivetree: smeltBase,
  "adaptivetree-shuffle": (problem) => shuffle(problem, smeltBase(problem), { sort: false }),
};

const machine = loadMachine("smelt-intel-xeon-e5-v2-2x10");
const cases: Golden[] = JSON.parse(readFileSync(fixture("golden", "smelt-simulator.json"), "utf8"));
const test = suite("golden");

test("there are 51 cases", () => assert.is(cases.length, 51));

for (const golden of cases) {
  test(`${golden.topology} of ${golden.cores}`, () => {
    const cores = golden.cores === "all" ? machine.pes.map((_, pe) => pe) : golden.cores;
    const problem = treeProblem(machine, cores);
    const name = published[golden.topology];
    const build = stages[golden.topology] ?? builders[name as Baseline];
    const shape = build(problem);
    const tree = treeOf(problem, shape, "smelt", 0);
    assert.is(tree.root, golden.root);
    assert.equal(tree.children, golden.children);

    const shuffled = golden.topology.includes("shuffle");
    const latencies = shuffled
      ? [broadcastLatency(problem, smeltBase(problem)), broadcastLatency(problem, shape)]
      : [broadcastLatency(problem, shape), reduceLatency(problem, shape)];
    assert.equal(latencies.map(Math.floor), [golden.broadcast, golden.reduction]);

    if (name === undefined) return;
    const trees = generateTrees(machine, { cores, algorithm: name });
    assert.is(trees.broadcast.root, golden.root);
    assert.equal(trees.broadcast.children, golden.children);
    assert.equal(trees.reduce.children, golden.children);
  });
}

test("smelt is the shuffled and sorted tree", () => {
  assert.is(builders.smelt, smelt);
});

test.run();

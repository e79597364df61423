/** Every algorithm on every real machine: a tree over the group, its latency, and who may not beat whom. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { baselines, builders } from "../../../trees/build/builders.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import { treeLatency } from "../../../trees/model/latency.ts";
import { treeProblem } from "../../../trees/model/problem.ts";
import { treeOf } from "../../../trees/model/shape.ts";
import { LONG, rounds } from "../../support/long.ts";
import { shuffled } from "../../support/sample.ts";
import {
  assertClose,
  assertSpans,
  broadcastReference,
  disseminationReference,
  hybridReference,
  loadMachine,
  machineNames,
  reduceReference,
} from "../support/reference.ts";

const test = suite("machines");

test("there are 95 machines", () => assert.is(machineNames.length, 95));

/** Of a plain run: which is drawn. */
const SOME = LONG ? machineNames : shuffled(machineNames, "machines").slice(0, 40);
for (const name of SOME) {
  test(name, () => {
    const machine = loadMachine(name);
    const all = machine.pes.map((_, pe) => pe);
    const trees = generateTrees(machine, { moves: rounds(500, 40_000) });
    const problem = treeProblem(machine, all);

    for (const algorithm of baselines) {
      const tree = treeOf(problem, builders[algorithm](problem), algorithm, 0);
      assertSpans(tree, all, algorithm);
      const broadcast = treeLatency(tree, machine);
      const reduce = treeLatency(tree, machine, "reduce");
      assertClose(broadcast, broadcastReference(tree, machine), `${algorithm} broadcast`);
      assertClose(reduce, reduceReference(tree, machine), `${algorithm} reduce`);
      const row = trees.baselines.find((baseline) => baseline.algorithm === algorithm);
      assert.equal(row, { algorithm, broadcast, reduce, barrier: reduce + broadcast });
      assert.ok(trees.broadcast.latency <= broadcast, `adaptive broadcast above ${algorithm}`);
      assert.ok(trees.reduce.latency <= reduce, `adaptive reduce above ${algorithm}`);
      assert.ok(trees.barrier.latency <= reduce + broadcast, `adaptive barrier above ${algorithm}`);
    }

    assertSpans(trees.broadcast, all, "broadcast");
    assertSpans(trees.reduce, all, "reduce");
    assertClose(trees.broadcast.latency, broadcastReference(trees.broadcast, machine), "broadcast");
    assertClose(trees.reduce.latency, reduceReference(trees.reduce, machine), "reduce");
    if (trees.barrier.kind === "tree") {
      const { root, reduce, broadcast, latency } = trees.barrier;
      assert.equal([reduce.root, broadcast.root], [root, root]);
      assertSpans(reduce, all, "barrier's reduce");
      assertSpans(broadcast, all, "barrier's broadcast");
      const expected = reduceReference(reduce, machine) + broadcastReference(broadcast, machine);
      assertClose(latency, expected, "barrier");
    } else if (trees.barrier.kind === "dissemination") {
      assert.equal(
        [...trees.barrier.order].sort((a, b) => a - b),
        all,
      );
      assertClose(trees.barrier.latency, disseminationReference(trees.barrier.order, machine), "dissemination");
    } else {
      assertClose(trees.barrier.latency, hybridReference(trees.barrier, all, machine), "hybrid");
    }
    assert.ok(trees.bound.broadcast > 0);
    assert.ok(trees.bound.broadcast <= trees.broadcast.latency);
    assert.ok(trees.bound.reduce > 0);
    assert.ok(trees.bound.reduce <= trees.reduce.latency);
  });
}

test.run();

/** The document that generateTrees gives, and what it refuses. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ModelError, UsageError } from "../../../src/ground/base/errors.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { baselines } from "../../../trees/build/builders.ts";
import { treeDot } from "../../../trees/draw/dot.ts";
import { toGraph } from "../../../trees/draw/graph.ts";
import { barrierSvg, treeSvg } from "../../../trees/draw/svg.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import type { TreeOptions } from "../../../trees/generate/options.ts";
import { broadcastLatency, treeLatency } from "../../../trees/model/latency.ts";
import { mirror, treeProblem } from "../../../trees/model/problem.ts";
import type { Algorithm, Barrier, Tree } from "../../../trees/model/tree.ts";
import { repairTree } from "../../../trees/repair/repair.ts";
import { adaptive } from "../../../trees/search/adaptive.ts";
import { loadMachine, model, uniform } from "../support/reference.ts";

const test = suite("generateTrees");
const xeon = loadMachine("smelt-intel-xeon-e5-v2-2x10");
const all = xeon.pes.map((_, pe) => pe);
/** What is found in the time a search takes by itself. */
const trees = generateTrees(xeon);

test("the document is complete and survives JSON", () => {
  assert.is(trees.schema, "tundish/trees@1");
  assert.is(trees.machine, xeon.name);
  assert.is(trees.unit, "cycles");
  assert.equal(trees.cores, all);
  assert.is(trees.broadcast.algorithm, "adaptive");
  assert.is(trees.broadcast.from, "annealing");
  assert.equal(
    trees.baselines.map(({ algorithm }) => algorithm),
    baselines,
  );
  assert.equal(JSON.parse(JSON.stringify(trees)), trees);
});

test("what is no model, and what is no tree, is refused", () => {
  for (const bad of [null, undefined, 5, "machine.json", {}, []]) {
    const refused = (error: unknown) =>
      error instanceof ModelError && /^Expected a machine model, an object with pes/.test(error.message);
    assert.throws(() => generateTrees(bad as never), refused);
    assert.throws(() => treeLatency(trees.broadcast, bad as never), refused);
  }
  for (const bad of [null, undefined, 5, {}]) {
    assert.throws(
      () => treeLatency(bad as never, xeon),
      (error: unknown) => error instanceof UsageError && /^Expected a tree, an object with/.test(error.message),
    );
  }
});

test("a published algorithm gives one tree for all operations", () => {
  for (const algorithm of baselines) {
    const { broadcast, reduce, barrier, baselines: table } = generateTrees(xeon, { algorithm });
    assert.equal(reduce.children, broadcast.children);
    assert.ok(barrier.kind === "tree" && barrier.root === broadcast.root);
    assert.equal(
      table.find((row) => row.algorithm === algorithm),
      { algorithm, broadcast: broadcast.latency, reduce: reduce.latency, barrier: barrier.latency },
    );
    assert.is(broadcast.from, undefined);
  }
});

test("a mirrored tree beats the broadcast tree in a reduction", () => {
  const { reduce, baselines: table } = trees;
  assert.ok(reduce.latency < Math.min(...table.map((row) => row.reduce)));
});

test("the adaptive builder gives what the document has", () => {
  const problem = treeProblem(xeon, all);
  assert.is(broadcastLatency(problem, adaptive(problem)), trees.broadcast.latency);
  assert.is(mirror(problem).send[1], problem.receive[xeon.pes.length]);
});

test("one PE and two PEs", () => {
  const one = generateTrees(xeon, { cores: [7] });
  assert.equal(one.broadcast, { algorithm: "adaptive", from: "exact", root: 7, children: {}, latency: 0 });
  assert.is(one.barrier.latency, 0);
  assert.is(one.bound.broadcast, 0);
  const two = generateTrees(xeon, { cores: [3, 12] });
  assert.is(two.broadcast.latency, two.bound.broadcast);
  assert.is(two.barrier.kind, "dissemination", "one exchange beats two hops");
});

test("a budget of zero still gives trees no worse than the baselines", () => {
  const { broadcast, baselines: table } = generateTrees(xeon, { budget: 0 });
  for (const row of table) assert.ok(broadcast.latency <= row.broadcast);
});

test("wrong options are refused with what was expected", () => {
  const refused = (options: TreeOptions, message: RegExp) =>
    assert.throws(
      () => generateTrees(xeon, options),
      (error: unknown) => error instanceof UsageError && message.test(error.message),
      String(message),
    );
  refused({ algorithm: "smlt" as Algorithm }, /expected one of "adaptive", "exact", "smelt", .*, got "smlt"/);
  refused({ algorithm: "toString" as Algorithm }, /expected one of/);
  refused({ algorithm: "exact" }, /"exact" takes groups of at most 17 PEs, got 20/);
  refused({ cores: [] }, /at least one PE/);
  refused({ cores: [0, 20] }, /from 0 to 19, got 20/);
  refused({ cores: [0, -1] }, /got -1/);
  refused({ cores: [0.5] }, /got 0.5/);
  refused({ cores: [3, 4, 3] }, /got 3 twice/);
  refused({ cores: [0, 1], root: 2 }, /root: expected a member of the group \(0, 1\), got 2/);
  refused({ root: 20 }, /root: .*got 20/);
  refused({ budget: -1 }, /budget: .*got -1/);
  refused({ budget: Number.NaN }, /budget/);
  refused(
    { sed: 1 } as TreeOptions,
    /unknown option 'sed'; did you mean 'seed'\? Known options: cores, root, algorithm, budget, moves, denoise, seed \[/,
  );
  refused(null as never, /^generateTrees: expected an object, got null/);
  refused({ seed: 1.5 }, /seed: .*got 1.5/);
  refused({ moves: -1 }, /moves: .*got -1/);
});

test("costs that are none are refused with their place", () => {
  const broken = (value: unknown) => {
    const send = uniform(3, 1).map((row) => [...row]);
    (send[1] as unknown[])[2] = value;
    return model(send, uniform(3, 1));
  };
  for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY, "x", undefined]) {
    assert.throws(
      () => generateTrees(broken(value)),
      (error: unknown) => error instanceof ModelError && error.path === "send.1.2",
    );
  }
  const outside = (error: unknown) => error instanceof ModelError && error.path === "send.1.2";
  assert.throws(() => generateTrees(broken(-1), { cores: [0, 1] }), outside, "outside the group");
});

test("matrices that are missing or not square are refused with their place, by all that take a model", () => {
  const rows = uniform(3, 1);
  const cases: [
    damage: Partial<Record<"send" | "receive" | "propagate" | "relay", unknown>>,
    path: string,
    told: string,
  ][] = [
    [{ send: undefined }, "send", "3 rows, one per PE, got undefined"],
    [{ receive: null }, "receive", "3 rows, one per PE, got null"],
    [{ receive: rows.slice(1) }, "receive", "3 rows, one per PE, got 2"],
    [{ propagate: uniform(4, 1) }, "propagate", "3 rows, one per PE, got 4"],
    [{ send: [rows[0], undefined, rows[2]] }, "send.1", "3 numbers, one per PE, got undefined"],
    [{ send: [rows[0], rows[1], [1, 1]] }, "send.2", "3 numbers, one per PE, got 2"],
    [{ receive: [[0, 1, 1, 1], rows[1], rows[2]] }, "receive.0", "3 numbers, one per PE, got 4"],
    [{ receive: [[0, Number.NaN, 1], rows[1], rows[2]] }, "receive.0.1", "a number >= 0, got NaN"],
    [{ propagate: [rows[0], [-1, 0, 1], rows[2]] }, "propagate.1.0", "a number >= 0, got -1"],
    [{ relay: [1, 2] }, "relay", "3 numbers, one per PE, got 2"],
    [{ relay: [0, Number.NaN, 1] }, "relay.1", "a number from 0 to 1e100, got NaN"],
    [{ relay: 5 }, "relay", "3 numbers, one per PE, got 5"],
  ];
  const tree: Tree = { algorithm: "binary", root: 0, children: { 0: [1, 2] }, latency: 0 };
  const order: Barrier = { kind: "dissemination", latency: 0, order: [0, 1, 2] };
  for (const [damage, path, told] of cases) {
    const broken = { ...model(rows, rows), ...damage } as MachineModel;
    const takers = {
      generateTrees: () => generateTrees(broken),
      treeLatency: () => treeLatency(tree, broken),
      repairTree: () => repairTree(tree, broken, { leave: 2 }),
      toGraph: () => toGraph(tree, broken),
      treeSvg: () => treeSvg(tree, broken),
      treeDot: () => treeDot(tree, broken),
      barrierSvg: () => barrierSvg(order, broken),
    };
    for (const [name, take] of Object.entries(takers)) {
      const refused = (error: unknown) =>
        error instanceof ModelError && error.path === path && error.message.includes(`${path}: expected ${told}`);
      assert.throws(take, refused, `${name}, ${path}`);
    }
  }
});

test.run();

/** PEs that need time to forward: all searches and bounds beside every tree that there is, and a flat tree that wins. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { randomNumbers } from "../../../src/ground/base/random.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { lowerBound, pathBound } from "../../../trees/bound/bound.ts";
import { levelsBound, MOST_STEPS } from "../../../trees/bound/bound-levels.ts";
import { barrierSchedule } from "../../../trees/draw/barrier-schedule.ts";
import { barriersBeside, generateTrees } from "../../../trees/generate/generate.ts";
import { bestOrder } from "../../../trees/model/child-order.ts";
import { NEVER_OVER } from "../../../trees/model/deadline.ts";
import { broadcastLatency, broadcastTimes, reduceLatency } from "../../../trees/model/latency.ts";
import { mirror, treeProblem } from "../../../trees/model/problem.ts";
import type { TreeProblem } from "../../../trees/model/tree.ts";
import { repairTree } from "../../../trees/repair/repair.ts";
import { searchTrees } from "../../../trees/search/adaptive.ts";
import { anneal } from "../../../trees/search/anneal.ts";
import { descend } from "../../../trees/search/descent.ts";
import { solveExactly } from "../../../trees/search/exact.ts";
import { searchParts } from "../../../trees/search/hierarchy.ts";
import { SoftTrees } from "../../../trees/search/soft-tree.ts";
import { rounds } from "../../support/long.ts";
import {
  assertClose,
  bestBroadcast,
  broadcastReference,
  loadMachine,
  model,
  reduceReference,
  uniform,
} from "../support/reference.ts";

const test = suite("relays");
const times = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.double({ min: 0, max: 1000, noNaN: true }));
const listOf = (size: number, one: fc.Arbitrary<number>) => fc.array(one, { minLength: size, maxLength: size });
const matrixOf = (size: number) =>
  fc
    .array(listOf(size, times), { minLength: size, maxLength: size })
    .map((rows) => rows.map((row, i) => row.map((cost, j) => (i === j ? 0 : cost))));

/** Machines whose PEs all have a relay. */
const machines = (min: number, max: number): fc.Arbitrary<MachineModel> =>
  fc
    .integer({ min, max })
    .chain((size) =>
      fc.tuple(matrixOf(size), matrixOf(size), listOf(size, times), listOf(size, fc.integer({ min: 0, max: 1 }))),
    )
    .map(([send, receive, relay, numa]) => model(send, receive, { relay, numa }));

const problemOf = (machine: MachineModel, root?: number): TreeProblem =>
  treeProblem(
    machine,
    machine.pes.map((_, pe) => pe),
    { root },
  );

test("the example: a chain of three, there and back", () => {
  const machine = model(uniform(3, 2), uniform(3, 3), { relay: [9, 4, 9] });
  const problem = problemOf(machine);
  const chain = { root: 0, children: [[1], [2], []] };
  assert.is(broadcastLatency(problem, chain), 14);
  assert.is(reduceLatency(problem, chain), 14);
  assert.is(broadcastLatency(problem, { root: 0, children: [[1, 2], [], []] }), 7, "a root and leaves have none");
});

test("the best of all trees is found, and no bound is above it", () => {
  fc.assert(
    fc.property(machines(2, 5), fc.option(fc.nat({ max: 1 }), { nil: undefined }), (machine, root) => {
      const trees = generateTrees(machine, { root });
      const given = problemOf(machine, root);
      for (const [operation, problem] of [["broadcast", given] as const, ["reduce", mirror(given)] as const]) {
        const best = bestBroadcast(problem);
        assertClose(Math.min(...solveExactly(problem).latency), best, "exact");
        assertClose(trees[operation].latency, best, operation);
        for (const bound of [lowerBound, pathBound, (all: TreeProblem) => levelsBound(all, MOST_STEPS, NEVER_OVER)]) {
          assert.ok(bound(problem) <= best * (1 + 1e-9), `${bound.name} ${bound(problem)} <= ${best}`);
        }
      }
    }),
    { numRuns: rounds(80, 2000) },
  );
});

test("up to 9 PEs: no bound is above the optimum, and searches that are none of the exact one end near it", () => {
  const above: number[] = [];
  fc.assert(
    fc.property(machines(6, 9), (machine) => {
      const problem = problemOf(machine);
      const best = Math.min(...solveExactly(problem).latency);
      assert.ok(lowerBound(problem) <= best * (1 + 1e-9));
      const found = searchTrees({ ...problem, moves: 3000 }, { exactly: false }).broadcast;
      assertClose(found.latency, broadcastLatency(problem, found.shape), "as it says");
      assert.ok(found.latency >= best * (1 - 1e-9));
      // costs are up to 1000: near 0 a ratio says nothing
      above.push((found.latency - best) / (best + 100));
    }),
    { numRuns: rounds(60, 500), seed: 7 },
  );
  const mean = above.reduce((sum, one) => sum + one, 0) / above.length;
  assert.ok(mean < 0.02, `${mean} above the optimum on average`);
});

test("the same costs on every edge: the bound is met", () => {
  for (let size = 2; size <= 9; size++) {
    const problem = problemOf(model(uniform(size, 30), uniform(size, 70), { relay: Array(size).fill(55) }));
    assertClose(lowerBound(problem), Math.min(...solveExactly(problem).latency), `${size} PEs`);
  }
  const domains = { relay: Array<number>(8).fill(40), numa: [0, 0, 0, 0, 1, 1, 1, 1] };
  const costs = (near: number, far: number) =>
    uniform(8, 0).map((row, i) => row.map((_, j) => (i === j ? 0 : i >> 2 === j >> 2 ? near : far)));
  const two = problemOf(model(costs(10, 50), costs(20, 90), domains));
  assertClose(levelsBound(two, MOST_STEPS, NEVER_OVER), Math.min(...solveExactly(two).latency), "two domains");
});

test("what the annealing adds up is the sum over all members, after any changes", () => {
  fc.assert(
    fc.property(machines(3, 12), fc.nat(), fc.boolean(), (machine, seed, isFree) => {
      const problem = problemOf(machine, isFree ? undefined : 0);
      const children = machine.pes.map((_, v) => (v + 1 < machine.pes.length ? [v + 1] : []));
      const soft = new SoftTrees(problem, [{ root: 0, children }], seed);
      const b = 1e-3;
      soft.sharpen(b, 1);
      const [tree] = soft.trees as [SoftTrees["trees"][0]];
      tree.sharpen();
      tree.move(50);
      const { informed } = broadcastTimes(problem, tree.shape());
      assertClose(
        tree.sum(),
        informed.reduce((sum, time) => sum + Math.exp(b * time), 0),
        "sum",
      );
    }),
    { numRuns: 200 },
  );
});

test("a descent and an annealing say what their trees take, and are no slower than their start", () => {
  fc.assert(
    fc.property(machines(2, 16), (machine) => {
      const problem = problemOf(machine);
      const start = {
        root: 0,
        children: machine.pes.map((_, v) => [2 * v + 1, 2 * v + 2].filter((c) => c < problem.size)),
      };
      const before = bestOrder(problem, start).latency;
      for (const { shape, latency } of [descend(problem, start), anneal(problem, [start], { moves: 500 }, 1)]) {
        assertClose(latency, broadcastLatency(problem, shape), "as it says");
        assert.ok(latency <= before);
      }
    }),
    { numRuns: 100 },
  );
});

test("large groups, part by part: as fast as they say, and above the bound", () => {
  const size = 300;
  const random = randomNumbers(3);
  const costs = (share: number) =>
    uniform(size, 0).map((row, i) => row.map((_, j) => (i === j ? 0 : share * (i >> 4 === j >> 4 ? 40 : 300))));
  const machine = model(costs(0.3), costs(0.7), { relay: Array.from({ length: size }, () => 30 + 20 * random()) });
  const problem = { ...problemOf(machine), moves: 2000 };
  const pairs = searchParts(problem, NEVER_OVER, (contracted) => searchTrees(contracted).broadcast.shape);
  assert.is(pairs.length, 2);
  for (const { broadcast, reduce } of pairs) {
    assertClose(broadcast.latency, broadcastLatency(problem, broadcast.shape), "broadcast");
    assertClose(reduce.latency, reduceLatency(problem, bestOrder(mirror(problem), reduce.shape).shape), "reduce");
    assert.ok(lowerBound(problem) <= broadcast.latency && lowerBound(mirror(problem)) <= reduce.latency);
  }
});

test("however the PEs are numbered", () => {
  const size = 20;
  const random = randomNumbers(5);
  const draw = () => uniform(size, 0).map((row, i) => row.map((_, j) => (i === j ? 0 : 50 + 100 * random())));
  const [send, receive, relay] = [draw(), draw(), Array.from({ length: size }, () => 80 * random())];
  const order = relay.map((_, pe) => (pe * 7 + 3) % size);
  const turned = (matrix: number[][]) => order.map((i) => order.map((j) => (matrix[i] as number[])[j] as number));
  const renumbered = model(turned(send), turned(receive), { relay: order.map((pe) => relay[pe] as number) });
  const [one, other] = [model(send, receive, { relay }), renumbered].map((each) =>
    generateTrees(each, { moves: 5000 }),
  );
  for (const operation of ["broadcast", "reduce", "barrier"] as const) {
    assertClose(other?.[operation].latency as number, one?.[operation].latency as number, operation);
  }
});

test("on a real machine: trees, repair and the drawn barrier take what the formulas say", () => {
  const xeon = loadMachine("smelt-intel-xeon-e5-v2-2x10");
  const machine = { ...xeon, relay: xeon.pes.map((_, pe) => 100 + 3 * pe) };
  const trees = generateTrees(machine, { moves: 20_000 });
  const { tree } = repairTree(trees.broadcast, machine, { leave: trees.broadcast.root });
  for (const one of [trees.broadcast, tree]) assertClose(one.latency, broadcastReference(one, machine), "broadcast");
  assertClose(trees.reduce.latency, reduceReference(trees.reduce, machine), "reduce");
  assert.ok(trees.broadcast.latency > generateTrees(xeon, { moves: 20_000 }).broadcast.latency);
  const published = (["smelt", "cluster"] as const).map((algorithm) => generateTrees(machine, { algorithm }).barrier);
  const barriers = [trees.barrier, ...published, ...barriersBeside(problemOf(machine))];
  assert.equal(new Set(barriers.map(({ kind }) => kind)), new Set(["tree", "dissemination", "hybrid"]));
  for (const barrier of barriers) {
    const lanes = barrierSchedule(barrier, machine);
    assertClose(Math.max(...lanes.map(({ at }) => at)), barrier.latency, barrier.kind);
  }
});

for (let size = 4; size <= 8; size++) {
  test(`${size} equally far cores: without relays a tree is best, with a relay below the cost of a send the flat one`, () => {
    const send = 60;
    // one send less in a row is worth just a third of a send more than a second hop
    const receive = (size - 3) * send - send / 3;
    const flat = model(uniform(size, send), uniform(size, receive));
    const without = generateTrees(flat);
    assert.ok(Object.keys(without.broadcast.children).length > 1, "some forward");
    const machine = { ...flat, relay: flat.pes.map(() => send / 2) };
    const { broadcast, bound, baselines } = generateTrees(machine);
    assert.equal(Object.keys(broadcast.children), [String(broadcast.root)], "nobody forwards");
    assert.is(broadcast.latency, baselines.find(({ algorithm }) => algorithm === "sequential")?.broadcast);
    assert.is(bound.broadcast, broadcast.latency, "and that is proven");
    assert.ok(broadcastReference(without.broadcast, machine) > broadcast.latency);
  });
}

test.run();

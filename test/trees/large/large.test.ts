/** Large messages: estimates beside a simulation segment by segment, and who wins when. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/base/errors.ts";
import type { MachineModel } from "../../../src/machine/types.ts";
import { twoTrees } from "../../../trees/build/two-trees.ts";
import { type LargeOptions, largeMessages, period } from "../../../trees/large/large.ts";
import { treeProblem } from "../../../trees/model/problem.ts";
import type { Shape, Tree, TreeProblem } from "../../../trees/model/types.ts";
import { assertShape, assertSpans, loadMachine, model, randomModel, uniform } from "../support/reference.ts";

const test = suite("large messages");

const whole = (machine: MachineModel): TreeProblem =>
  treeProblem(
    machine,
    machine.pes.map((_, pe) => pe),
  );

/**
 * Segment after segment: a PE takes them in order, each when it is there, and hands it on before it takes the
 * next; segment j runs on shape j mod shapes.
 */
function simulated(problem: TreeProblem, shapes: readonly Shape[], segments: number): number {
  const { size, send, receive, propagate } = problem;
  const root = shapes[0]?.root as number;
  const free = new Float64Array(size);
  let last = 0;
  // all PEs take segments in one order, so segment by segment from the root down is an order of events
  for (let j = 0; j < segments; j++) {
    const { children } = shapes[j % shapes.length] as Shape;
    const walk = [{ v: root, at: 0 }];
    for (const { v, at } of walk) {
      let clock = Math.max(free[v] as number, at);
      for (const child of children[v] as readonly number[]) {
        clock += send[v * size + child] as number;
        const there = clock + (propagate[v * size + child] as number);
        const taken = Math.max(there, free[child] as number) + (receive[v * size + child] as number);
        free[child] = taken;
        walk.push({ v: child, at: taken });
        last = Math.max(last, taken);
      }
      free[v] = clock;
    }
  }
  return last;
}

const shapeOf = (tree: Tree, size: number): Shape => ({
  root: tree.root,
  children: Array.from({ length: size }, (_, v) => tree.children[v] ?? []),
});

test("a pipelined tree takes no longer than said, and no less than its busiest PE needs", () => {
  fc.assert(
    fc.property(randomModel(12), fc.integer({ min: 1, max: 40 }), (machine, segments) => {
      const problem = whole(machine);
      for (const { algorithm, trees, latency, cap } of largeMessages(machine, { segments, moves: 200 })) {
        for (const tree of trees) {
          assertSpans(tree, problem.cores, algorithm);
          const most = Math.max(0, ...Object.values(tree.children).map((list) => list.length));
          if (cap !== undefined) assert.ok(most <= cap, `${most} children, ${cap} allowed`);
        }
        if (algorithm !== "tree" && algorithm !== "capped") continue;
        const shape = shapeOf(trees[0] as Tree, problem.size);
        const real = simulated(problem, [shape], segments);
        assert.ok(real <= latency * (1 + 1e-9), `${algorithm}: simulated ${real}, said ${latency}`);
        assert.ok(real >= (segments - 1) * period(problem, shape) * (1 - 1e-9), algorithm);
        if (segments === 1) assert.ok(Math.abs(real - latency) <= 1e-9 * Math.max(1, real));
      }
    }),
    { numRuns: 100 },
  );
});

/**
 * As {@link simulated}, but every PE takes what comes first: of all that PEs can begin, what can begin earliest
 * is done next.
 */
function asItComes(problem: TreeProblem, shapes: readonly Shape[], segments: number): number {
  const { size, send, receive, propagate } = problem;
  const root = shapes[0]?.root as number;
  const free = new Float64Array(size);
  // a segment that is there and not taken yet: where, and since when
  const waiting = Array.from({ length: segments }, (_, j) => ({ v: root, from: -1, j, ready: 0 }));
  let last = 0;
  while (waiting.length > 0) {
    const start = waiting.map(({ v, ready }) => Math.max(free[v] as number, ready));
    const first = start.indexOf(Math.min(...start));
    const { v, from, j } = waiting[first] as (typeof waiting)[number];
    let clock = (start[first] as number) + (from < 0 ? 0 : (receive[from * size + v] as number));
    waiting.splice(first, 1);
    last = Math.max(last, clock);
    for (const child of shapes[j % shapes.length]?.children[v] ?? []) {
      clock += send[v * size + child] as number;
      waiting.push({ v: child, from: v, j, ready: clock + (propagate[v * size + child] as number) });
    }
    free[v] = clock;
  }
  return last;
}

test("two trees span the group, nobody is inner in both where that is possible, and take about what is said", () => {
  for (let size = 3; size <= 40; size++) {
    const problem = whole(model(uniform(size, 2), uniform(size, 3)));
    const { shapes, latency } = twoTrees(problem, 0, 64);
    for (const shape of shapes) {
      assertShape(shape, size, `${size} PEs`);
      for (const list of shape.children) assert.ok(list.length <= 2);
    }
    const isInner = (shape: Shape, v: number) => (shape.children[v]?.length ?? 0) > 0;
    const both = problem.cores.filter((v) => v !== 0 && shapes.every((shape) => isInner(shape, v)));
    assert.ok(both.length <= 1, `${size} PEs: ${both} inner in both`);
    const real = asItComes(problem, shapes, 64);
    assert.ok(
      real < 1.5 * latency && latency < 1.5 * real,
      `${size} PEs: simulated ${real}, said ${latency}`,
    );
  }
});

test("the more segments, the fewer children; two trees win in the end where all are equally near", () => {
  const machines = ["c2c-intel-xeon-platinum-8275cl-cpu-3-00ghz", "c2c-aws-graviton3"].map(loadMachine);
  for (const machine of machines) {
    const ranking = (segments: number) =>
      largeMessages(machine, { segments, shared: false, moves: 50_000 }).map(
        ({ algorithm, cap }) => `${algorithm}${cap ?? ""}`,
      );
    assert.is(ranking(1)[0], "tree");
    assert.match(ranking(64)[0] as string, /^capped2|^two-tree/);
    assert.ok(ranking(64).indexOf("tree") > 3, `${ranking(64)}`);
  }
  const even = model(uniform(64, 3), uniform(64, 7));
  for (const machine of [machines[1] as MachineModel, even]) {
    const [first] = largeMessages(machine, { segments: 256, shared: false, moves: 50_000 });
    assert.is(first?.algorithm, "two-tree");
  }
});

test("where memory is shared, flat reads and scatter win; else they are not among the ways", () => {
  const machine = loadMachine("c2c-intel-xeon-platinum-8275cl-cpu-3-00ghz");
  const options: LargeOptions = { segments: 256, moves: 20_000 };
  assert.is(largeMessages(machine, options)[0]?.algorithm, "flat");
  assert.is(largeMessages(machine, { ...options, operation: "allreduce" })[0]?.algorithm, "scatter");
  for (const operation of ["broadcast", "allreduce"] as const) {
    for (const { algorithm } of largeMessages(machine, { ...options, operation, shared: false })) {
      assert.ok(algorithm !== "flat" && algorithm !== "scatter", algorithm);
    }
  }
});

test("the example of the file", () => {
  const machine = model(uniform(3, 1), uniform(3, 1));
  const found = largeMessages(machine, { segments: 100 });
  const latency = (algorithm: string, cap?: number) =>
    found.find((one) => one.algorithm === algorithm && one.cap === cap)?.latency;
  assert.is(latency("tree"), 201);
  assert.is(latency("capped", 1), 202);
  assert.is(latency("flat"), 103);
});

test("the budget and the seed are those of the search", () => {
  const machine = loadMachine("c2c-aws-graviton3");
  const first = (options: Partial<LargeOptions>) =>
    largeMessages(machine, { segments: 9, ...options }).find(({ algorithm }) => algorithm === "tree")
      ?.trees[0];
  assert.equal(first({ budget: 0 })?.latency, first({ moves: 0, budget: 0 })?.latency);
  assert.ok((first({ budget: 0 })?.latency ?? 0) > (first({})?.latency ?? 0));
  assert.equal(first({ moves: 5000, seed: 4 }), first({ moves: 5000, seed: 4 }));
  assert.not.equal(first({ moves: 5000, seed: 4 }), first({ moves: 5000, seed: 5 }));
  for (const [options, message] of [
    [{ budget: -1 }, /^budget: expected milliseconds >= 0, got -1/],
    [{ seed: 0.5 }, /^seed: expected a whole number >= 0, got 0.5/],
  ] as const) {
    assert.throws(() => first(options), message);
  }
});

test("one PE, two PEs; segments that are none are refused", () => {
  for (const size of [1, 2]) {
    const machine = model(uniform(size, 1), uniform(size, 1));
    for (const operation of ["broadcast", "allreduce"] as const) {
      for (const { latency } of largeMessages(machine, { segments: 3, operation })) assert.ok(latency >= 0);
    }
  }
  for (const segments of [0, -1, 1.5, Number.NaN]) {
    assert.throws(
      () => largeMessages(model(uniform(2, 1), uniform(2, 1)), { segments }),
      (error: unknown) => error instanceof UsageError && /^segments: expected/.test(error.message),
    );
  }
});

test("a group and a root are honoured, as by generateTrees", () => {
  const machine = loadMachine("smelt-intel-xeon-e5-v2-2x10");
  const cores = [12, 3, 0, 7, 19, 5];
  const group = { ...machine, pes: cores.map((pe) => machine.pes[pe] as MachineModel["pes"][number]) };
  const cut = (matrix: MachineModel["send"]) => cores.map((i) => cores.map((j) => matrix[i]?.[j] as number));
  const alone: MachineModel = { ...group, send: cut(machine.send), receive: cut(machine.receive) };
  for (const operation of ["broadcast", "allreduce"] as const) {
    const ways = largeMessages(machine, { segments: 50, operation, cores, root: 7 });
    for (const { trees } of ways) {
      for (const tree of trees) {
        assertSpans(tree, cores, operation);
        assert.is(tree.root, 7);
      }
    }
    // the model of the group alone says the same, by other numbers
    const same = largeMessages(alone, { segments: 50, operation, root: cores.indexOf(7) });
    for (const way of ["flat", "scatter"]) {
      const [one, other] = [ways, same].map(
        (list) => list.find(({ algorithm }) => algorithm === way)?.latency,
      );
      assert.ok(one === other || Math.abs((one ?? 0) - (other ?? 0)) < 1e-6, way);
    }
  }
  const refused = (options: Partial<LargeOptions>, message: RegExp) =>
    assert.throws(
      () => largeMessages(machine, { segments: 1, ...options }),
      (error: unknown) => error instanceof UsageError && message.test(error.message),
    );
  refused({ cores: [0, 20] }, /^cores: expected PE numbers from 0 to 19, got 20/);
  refused({ cores: [0, 1], root: 2 }, /^root: expected a member of the group \(0, 1\), got 2/);
});

test.run();

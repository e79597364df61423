/** Random models, groups and roots: ties, zeros, huge and lopsided costs included. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { randomNumbers } from "../../../src/ground/base/random.ts";
import { lowerBound } from "../../../trees/bound/bound.ts";
import { baselines, builders } from "../../../trees/build/builders.ts";
import { smeltBase } from "../../../trees/build/smelt.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import { broadcastLatency, reduceLatency } from "../../../trees/model/latency.ts";
import { mirror, treeProblem } from "../../../trees/model/problem.ts";
import type { Tree } from "../../../trees/model/tree.ts";
import { anneal } from "../../../trees/search/anneal.ts";
import { solveExactly } from "../../../trees/search/exact.ts";
import { rounds } from "../../support/long.ts";
import {
  assertClose,
  assertShape,
  assertSpans,
  bestBroadcast,
  broadcastReference,
  disseminationReference,
  hybridReference,
  model,
  randomModel,
  reduceReference,
} from "../support/reference.ts";

const test = suite("random models");

/** A model with a group of its PEs in any order and perhaps a root. */
const grouped = (maxSize: number) =>
  randomModel(maxSize).chain((machine) => {
    const all = machine.pes.map((_, pe) => pe);
    return fc
      .shuffledSubarray(all, { minLength: 1 })
      .chain((cores) =>
        fc
          .option(fc.constantFrom(...cores), { nil: undefined })
          .map((root) => ({ machine, cores, root: root as number | undefined })),
      );
  });

test("every algorithm spans the group once, from the root asked for, and says its latency", () => {
  fc.assert(
    fc.property(grouped(12), fc.constantFrom(...baselines, "adaptive" as const), (given, algorithm) => {
      const { machine, cores, root } = given;
      const trees = generateTrees(machine, { cores, root, algorithm });
      assert.equal(trees.cores, cores);
      const evaluate = { broadcast: broadcastReference, reduce: reduceReference };
      const check = (tree: Tree, operation: "broadcast" | "reduce"): void => {
        assertSpans(tree, cores, operation);
        assert.is(tree.algorithm, algorithm);
        if (root !== undefined) assert.is(tree.root, root);
        assertClose(tree.latency, evaluate[operation](tree, machine), operation);
      };
      check(trees.broadcast, "broadcast");
      check(trees.reduce, "reduce");
      if (trees.barrier.kind === "tree") {
        check(trees.barrier.reduce, "reduce");
        check(trees.barrier.broadcast, "broadcast");
        assert.is(trees.barrier.reduce.root, trees.barrier.broadcast.root);
      } else if (trees.barrier.kind === "dissemination") {
        assert.equal(new Set(trees.barrier.order), new Set(cores));
        assertClose(trees.barrier.latency, disseminationReference(trees.barrier.order, machine), "order");
      } else assertClose(trees.barrier.latency, hybridReference(trees.barrier, cores, machine), "hybrid");
      for (const row of trees.baselines) {
        if (algorithm !== "adaptive") break;
        assert.ok(trees.broadcast.latency <= row.broadcast);
        assert.ok(trees.reduce.latency <= row.reduce);
        assert.ok(trees.barrier.latency <= row.barrier);
      }
      assert.ok(trees.bound.broadcast <= trees.broadcast.latency);
      assert.equal(generateTrees(machine, { cores, root, algorithm }), trees, "the same again");
    }),
    { numRuns: rounds(150, 400) },
  );
});

test("the bound and the exact solution hold on machines with domains, from every root", () => {
  const level = fc.double({ min: 0, max: 20, noNaN: true });
  const leveled = fc
    .tuple(fc.integer({ min: 2, max: 8 }), fc.tuple(level, level, level), fc.tuple(level, level, level))
    .chain(([size, send, receive]) =>
      fc.record({
        send: fc.constant(send),
        receive: fc.constant(receive),
        fine: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: size, maxLength: size }),
        noise: fc.constantFrom(0, 0.3),
        grain: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
          minLength: size * size,
          maxLength: size * size,
        }),
      }),
    );
  fc.assert(
    fc.property(leveled, ({ send, receive, fine, noise, grain }) => {
      const size = fine.length;
      // fine domains 0 and 1 make a coarse one, 2 and 3 the other
      const kind = (i: number, j: number) =>
        fine[i] === fine[j] ? 0 : (fine[i] as number) >> 1 === (fine[j] as number) >> 1 ? 1 : 2;
      const costs = (base: readonly number[]) =>
        uniformRows(size, (i, j) =>
          i === j ? 0 : (base[kind(i, j)] as number) * (1 + noise * (grain[i * size + j] as number)),
        );
      const machine = model(costs(send), costs(receive), { numa: fine.map((n) => n >> 1) });
      const pes = machine.pes.map((pe, i) => ({ ...pe, l3: fine[i] as number }));
      const problem = treeProblem(
        { ...machine, pes },
        fine.map((_, i) => i),
      );
      const { latency, shape } = solveExactly(problem);
      for (const [root, best] of latency.entries()) {
        assertClose(broadcastLatency(problem, shape(root)), best, "the tree has its latency");
        const bound = lowerBound({ ...problem, root });
        assert.ok(bound <= best * (1 + 1e-12), `${bound} <= ${best} from ${root}`);
      }
      if (size <= 5) assertClose(Math.min(...latency), bestBroadcast(problem), "of all trees");
    }),
    { numRuns: rounds(300, 1000) },
  );
});

test("the bound holds where the largest domain is not the root's", () => {
  const cases: [fine: number[], coarse: number[]][] = [
    [
      [0, 0, 1, 1, 2, 2, 3],
      [0, 0, 1, 1, 1, 1, 0],
    ],
    [
      [0, 4, 3, 0, 3, 1, 1, 3, 1],
      [1, 0, 1, 1, 1, 0, 0, 1, 0],
    ],
    [
      [2, 1, 2, 4, 0, 3, 0, 0],
      [1, 0, 1, 1, 1, 0, 1, 1],
    ],
  ];
  for (const [fine, coarse] of cases) {
    for (let seed = 0; seed < 300; seed++) {
      const random = randomNumbers(seed);
      const growing = () => [1, 2, 3].map((level) => level * (1 + 5 * random()));
      const cost = (base: readonly number[]) =>
        uniformRows(fine.length, (i, j) =>
          i === j ? 0 : (base[fine[i] === fine[j] ? 0 : coarse[i] === coarse[j] ? 1 : 2] as number),
        );
      const machine = model(cost(growing()), cost(growing()), { numa: coarse });
      const pes = machine.pes.map((pe, i) => ({ ...pe, l3: fine[i] as number }));
      const problem = treeProblem(
        { ...machine, pes },
        fine.map((_, i) => i),
      );
      const best = Math.min(...solveExactly(problem).latency);
      assert.ok(lowerBound(problem) <= best * (1 + 1e-12), `${fine}: seed ${seed}`);
    }
  }
});

test("annealing comes close to the exact solution, and never above where it began", () => {
  fc.assert(
    fc.property(grouped(9), ({ machine, cores, root }) => {
      const problem = treeProblem(machine, cores, { root });
      const { latency } = solveExactly(problem);
      const best = root === undefined ? Math.min(...latency) : (latency[problem.root as number] as number);
      const start = builders.binary(problem);
      const found = anneal(problem, [start], { moves: 3000 }, 1);
      assertShape(found.shape, problem.size, "annealed");
      assertClose(broadcastLatency(problem, found.shape), found.latency, "latency");
      assert.ok(found.latency <= broadcastLatency(problem, start) * (1 + 1e-12));
      assert.ok(found.latency >= best * (1 - 1e-12));
      if (root !== undefined) assert.is(found.shape.root, problem.root);
      assert.equal(anneal(problem, [start], { moves: 3000 }, 1), found, "the same seed");
    }),
    { numRuns: 150 },
  );
});

test("the bound holds for the best of all trees", () => {
  fc.assert(
    fc.property(grouped(5), ({ machine, cores, root }) => {
      const problem = treeProblem(machine, cores, { root });
      const best = bestBroadcast(problem);
      assert.ok(lowerBound(problem) <= best * (1 + 1e-12), `${lowerBound(problem)} <= ${best}`);
      for (const name of baselines) {
        assert.ok(best <= broadcastLatency(problem, builders[name](problem)) * (1 + 1e-12), name);
      }
    }),
    { numRuns: rounds(150, 300) },
  );
});

test("a reduction takes as long as the mirrored broadcast with the best child orders", () => {
  fc.assert(
    fc.property(randomModel(4), fc.constantFrom(...baselines), (machine, name) => {
      const problem = treeProblem(
        machine,
        machine.pes.map((_, pe) => pe),
      );
      const shape = builders[name](problem);
      const mirrored = mirror(problem);
      let least = Number.POSITIVE_INFINITY;
      for (const children of orders(shape.children))
        least = Math.min(least, broadcastLatency(mirrored, { root: shape.root, children }));
      assertClose(reduceLatency(problem, shape), least, name);
      assert.equal(mirror(mirrored), problem);
    }),
    { numRuns: rounds(150, 300) },
  );
});

test("smelt never gets slower by shuffling, and ends on any matrix", () => {
  fc.assert(
    fc.property(grouped(24), ({ machine, cores, root }) => {
      const problem = treeProblem(machine, cores, { root });
      const base = smeltBase(problem);
      const improved = builders.smelt(problem);
      assertShape(base, problem.size, "base");
      assertShape(improved, problem.size, "improved");
      assert.ok(broadcastLatency(problem, improved) <= broadcastLatency(problem, base));
    }),
    { numRuns: rounds(150, 300) },
  );
});

test("smelt, mst and bad do not depend on the numbers of PEs when costs differ", () => {
  const sizes = fc.integer({ min: 2, max: 10 });
  fc.assert(
    fc.property(
      sizes.chain((n) => fc.tuple(distinct(n, Math.SQRT2), distinct(n, Math.sqrt(3)), permutation(n))),
      ([send, receive, order]) => {
        const turned = (matrix: number[][]) => order.map((i) => order.map((j) => matrix[i]?.[j] ?? 0));
        const plain = model(send, receive);
        const renumbered = model(turned(send), turned(receive));
        for (const algorithm of ["smelt", "mst", "bad"] as const) {
          const one = generateTrees(plain, { algorithm, root: order[0] });
          const other = generateTrees(renumbered, { algorithm, root: 0 });
          assertClose(one.broadcast.latency, other.broadcast.latency, algorithm);
        }
      },
    ),
    { numRuns: 200 },
  );
});

/** All ways of ordering every list. */
function orders(lists: readonly (readonly number[])[]): number[][][] {
  const [first, ...rest] = lists;
  if (first === undefined) return [[]];
  return permutations(first).flatMap((list) => orders(rest).map((others) => [list, ...others]));
}

function permutations(list: readonly number[]): number[][] {
  if (list.length < 2) return [[...list]];
  return list.flatMap((item) => permutations(list.filter((other) => other !== item)).map((p) => [item, ...p]));
}

/** A matrix whose costs all differ; with another factor also from sums with costs of that one. */
function distinct(size: number, factor: number): fc.Arbitrary<number[][]> {
  const ranks = Array.from({ length: size * size }, (_, i) => i);
  return fc
    .shuffledSubarray(ranks, { minLength: ranks.length })
    .map((shuffled) =>
      uniformRows(size, (i, j) => (i === j ? 0 : 100 + factor * (shuffled[i * size + j] as number) ** 1.5)),
    );
}

function uniformRows(size: number, cost: (i: number, j: number) => number): number[][] {
  return Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => cost(i, j)));
}

function permutation(size: number): fc.Arbitrary<number[]> {
  const all = Array.from({ length: size }, (_, i) => i);
  return fc.shuffledSubarray(all, { minLength: size });
}

test.run();

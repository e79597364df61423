/** The exact solution, against the plain recursion over subsets and against all trees there are. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { generateTrees } from "../../../trees/generate/generate.ts";
import { broadcastLatency } from "../../../trees/model/latency.ts";
import { edgeCost, mirror, treeProblem } from "../../../trees/model/problem.ts";
import type { TreeProblem } from "../../../trees/model/tree.ts";
import { solveExactly } from "../../../trees/search/exact.ts";
import { assertClose, assertShape, bestBroadcast, loadMachine, randomModel } from "../support/reference.ts";

const test = suite("exact");

/** T(v, S) by its definition, without any of the short cuts. */
function plainly(problem: TreeProblem): (v: number, set: number) => number {
  const { size, send, relay } = problem;
  const known = new Map<number, number>();
  return function time(v: number, set: number): number {
    const key = v * 2 ** size + set;
    const before = set === 0 ? 0 : known.get(key);
    if (before !== undefined) return before;
    let least = Number.POSITIVE_INFINITY;
    for (let c = 0; c < size; c++) {
      if ((set & (1 << c)) === 0) continue;
      const others = set & ~(1 << c);
      for (let below = others; ; below = (below - 1) & others) {
        const later = edgeCost(problem, v, c) + (below === 0 ? 0 : (relay[c] as number) + time(c, below));
        const after = (send[v * size + c] as number) + time(v, others ^ below);
        least = Math.min(least, Math.max(later, after));
        if (below === 0) break;
      }
    }
    known.set(key, least);
    return least;
  };
}

test("from every root the least of the plain recursion, to the last bit, and a tree that has it", () => {
  fc.assert(
    fc.property(randomModel(8), (machine) => {
      const given = treeProblem(
        machine,
        machine.pes.map((_, pe) => pe),
      );
      for (const problem of [given, mirror(given)]) {
        const { latency, shape } = solveExactly(problem);
        const time = plainly(problem);
        for (const [root, best] of latency.entries()) {
          assert.is(best, time(root, (2 ** problem.size - 1) & ~(1 << root)));
          const tree = shape(root);
          assertShape(tree, problem.size, "exact");
          assert.is(tree.root, root);
          assertClose(broadcastLatency(problem, tree), best, "the tree has it");
        }
      }
    }),
    { numRuns: 200 },
  );
});

test("a root that is asked for changes nothing for itself, and leaves the others out", () => {
  fc.assert(
    fc.property(randomModel(9), fc.nat(), (machine, pick) => {
      const problem = treeProblem(
        machine,
        machine.pes.map((_, pe) => pe),
      );
      const root = pick % problem.size;
      const forced = solveExactly({ ...problem, root });
      assert.is(forced.latency[root], solveExactly(problem).latency[root]);
      assert.equal([...forced.latency].filter(Number.isFinite).length, 1);
      const shape = forced.shape(root);
      assertShape(shape, problem.size, "forced");
      assertClose(broadcastLatency(problem, shape), forced.latency[root] as number, "the tree has it");
    }),
    { numRuns: 200 },
  );
});

test("no tree of all there are is faster", () => {
  fc.assert(
    fc.property(randomModel(5), (machine) => {
      const problem = treeProblem(
        machine,
        machine.pes.map((_, pe) => pe),
      );
      const { latency } = solveExactly(problem);
      assertClose(Math.min(...latency), bestBroadcast(problem), "of all trees");
    }),
    { numRuns: 200 },
  );
});

test("groups of 14 and 15 PEs are solved exactly unless told otherwise", () => {
  const machine = loadMachine("smelt-intel-xeon-e5-v2-2x10");
  for (const size of [14, 15]) {
    const cores = Array.from({ length: size }, (_, i) => i + 3);
    const trees = generateTrees(machine, { cores });
    assert.equal(
      [trees.bound.broadcast, trees.bound.reduce],
      [trees.broadcast.latency, trees.reduce.latency],
      "proven",
    );
    const searched = generateTrees(machine, { cores, moves: 50_000 });
    assert.ok(searched.broadcast.latency >= trees.broadcast.latency);
    assert.ok(searched.reduce.latency >= trees.reduce.latency);
  }
});

test.run();

/** The working copy that a tree is made better in, beside the formulas, and what the steps come to. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { builders } from "../../../trees/build/builders.ts";
import { bestOrder } from "../../../trees/model/child-order.ts";
import { groupCosts } from "../../../trees/model/group-costs.ts";
import { broadcastLatency } from "../../../trees/model/latency.ts";
import type { Shape, TreeProblem } from "../../../trees/model/tree.ts";
import { descend } from "../../../trees/search/descent.ts";
import { TimedTree } from "../../../trees/search/timed-tree.ts";
import { assertClose, assertShape, model, randomModel, uniform } from "../support/reference.ts";

const test = suite("descent");

const problemOf = (machine: Parameters<typeof groupCosts>[0]): TreeProblem =>
  groupCosts(
    machine,
    machine.pes.map((_, pe) => pe),
  );

/** A copy: the shape of a tree under change changes with it. */
const copied = ({ root, children }: Shape): Shape => ({ root, children: children.map((list) => [...list]) });

test("any sequence of changes: the times are those of the tree as it stands, and each change can be undone", () => {
  fc.assert(
    fc.property(
      randomModel(12),
      fc.array(fc.record({ u: fc.nat(), v: fc.nat(), moves: fc.boolean(), stays: fc.boolean() }), {
        maxLength: 30,
      }),
      (machine, steps) => {
        const problem = problemOf(machine);
        const tree = new TimedTree(problem, builders.binary(problem));
        for (const { u: first, v: second, moves, stays } of steps) {
          const [u, v] = [first % problem.size, second % problem.size];
          if (v === tree.root || u === v) continue;
          const before = copied(tree.shape());
          const latency = tree.latency();
          const from = tree.parent[v] as number;
          if (moves) {
            if (tree.isAbove(v, u)) continue;
            tree.relocate(v, u);
            if (!stays) tree.relocate(v, from);
          } else {
            if (u === tree.root) continue;
            tree.exchange(u, v);
            if (!stays) tree.exchange(u, v);
          }
          const shape = tree.shape();
          assertShape(shape, problem.size, "changed");
          assertClose(tree.latency(), bestOrder(problem, shape).latency, "with the best order");
          assertClose(tree.latency(), broadcastLatency(problem, shape), "in the order that it has");
          if (!stays) {
            assert.is(tree.latency(), latency);
            const sets = ({ children }: Shape) => children.map((list) => [...list].sort((a, b) => a - b));
            assert.equal(sets(shape), sets(before));
          }
          const path = tree.criticalPath();
          assert.is(path[0], shape.root);
          assert.equal(shape.children[path.at(-1) as number], [], "ends in a leaf");
        }
      },
    ),
    { numRuns: 300 },
  );
});

test("never slower than the start, the same root, the whole group", () => {
  fc.assert(
    fc.property(randomModel(20), fc.constantFrom("binary", "smelt", "sequential", "bad"), (machine, name) => {
      const problem = problemOf(machine);
      const start = builders[name as keyof typeof builders](problem);
      const { shape, latency } = descend(problem, start);
      assertShape(shape, problem.size, name);
      assert.is(shape.root, start.root);
      assert.ok(latency <= broadcastLatency(problem, start) * (1 + 1e-12));
      assertClose(latency, broadcastLatency(problem, shape), "latency");
    }),
    { numRuns: 300 },
  );
});

test("the example", () => {
  const problem = problemOf(model(uniform(3, 2), uniform(3, 3)));
  const found = descend(problem, { root: 0, children: [[1], [2], []] });
  assert.is(found.latency, 7);
  assert.equal(found.shape.children[0]?.length, 2);
});

test.run();

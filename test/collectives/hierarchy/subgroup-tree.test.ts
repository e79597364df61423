/** Who sends to which part: every part once, as soon as can be. */

import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type PartTree, partTree } from "../../../src/collectives/hierarchy/subgroup-tree.ts";
import type { RemoteCosts } from "../../../src/machine/remote-costs.ts";
import { postalTime } from "../../../trees/model/postal.ts";

/** When the last part is reached, counted by sending through the tree. */
function latency({ edges }: PartTree, root: number, { alpha, overhead, near }: RemoteCosts): number {
  let last = 0;
  const visit = (part: number, at: number): void => {
    last = Math.max(last, at);
    const free = new Map<number, number>();
    for (const { from, to } of edges[part]) {
      const start = free.get(from) ?? at + near * Math.ceil(Math.log2(from + 1));
      free.set(from, start + overhead);
      visit(to, start + alpha);
    }
  };
  visit(root, 0);
  return last;
}

const trees = suite("trees over parts");

trees("the examples of its head", () => {
  const slow = partTree([1, 1, 1, 1], 0, { alpha: 3, overhead: 3, near: 1 });
  assert.equal(slow.edges[0], [
    { from: 0, to: 1 },
    { from: 0, to: 2 },
  ]);
  assert.equal(slow.edges[1], [{ from: 0, to: 3 }]);
  const quick = partTree([1, 1, 1, 1], 0, { alpha: 3, overhead: 1, near: 1 });
  assert.equal(
    quick.edges[0].map(({ to }) => to),
    [1, 2, 3],
  );
});

const costs = fc.record({
  alpha: fc.integer({ min: 1, max: 5000 }),
  overhead: fc.integer({ min: 1, max: 5000 }),
  near: fc.integer({ min: 1, max: 500 }),
});
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 40 });

trees("every part is reached once, from where its parent says", () => {
  fc.assert(
    fc.property(sizes, fc.nat(), costs, (list, any, cost) => {
      const root = any % list.length;
      const { parents, edges } = partTree(list, root, cost);
      assert.is(parents[root], null);
      const reached = edges.flatMap((sends, part) => sends.map((edge) => ({ part, ...edge })));
      assert.equal(
        reached.map(({ to }) => to).sort((a, b) => a - b),
        [...list.keys()].filter((part) => part !== root),
      );
      for (const { part, from, to } of reached) {
        assert.equal(parents[to], { part, from });
        assert.ok(from < list[part]);
      }
    }),
  );
});

trees("leaders alone: as fast as any broadcast; with helpers no slower", () => {
  fc.assert(
    fc.property(sizes, costs, (list, cost) => {
      const alone = partTree(
        list.map(() => 1),
        0,
        cost,
      );
      const best = postalTime(list.length, cost.overhead, cost.alpha);
      assert.is(latency(alone, 0, cost), best);
      assert.ok(latency(partTree(list, 0, cost), 0, cost) <= best);
    }),
  );
});
trees.run();

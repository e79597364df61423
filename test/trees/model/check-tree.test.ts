/** The check of barriers that somebody hands in: both of its trees reach the same PEs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { barrierMembers } from "../../../trees/model/check-tree.ts";
import type { Barrier, Tree } from "../../../trees/model/tree.ts";

const test = suite("check of trees");

const star = (...[root, ...leaves]: [number, ...number[]]): Tree => ({
  algorithm: "binary",
  root,
  children: { [root]: leaves },
  latency: 1,
});
const byTrees = (reduce: Tree, broadcast: Tree): Barrier => ({
  kind: "tree",
  latency: 2,
  root: 0,
  reduce,
  broadcast,
});
const hybrid = (reduce: Tree[], broadcast: Tree[]): Barrier => ({
  kind: "hybrid",
  latency: 2,
  leaders: [0, 5],
  reduce,
  broadcast,
});

/** Too few, too many, others. */
const pairs: readonly (readonly [reduce: Tree, broadcast: Tree])[] = [
  [star(0, 1), star(0, 1, 2)],
  [star(0, 1, 2), star(0, 1)],
  [star(0, 1, 2), star(0, 1, 3)],
];

test("a barrier whose trees reach the same PEs, in whatever order, is one", () => {
  assert.equal(barrierMembers(byTrees(star(0, 2, 1), star(0, 1, 2))), [0, 1, 2]);
  assert.equal(barrierMembers(hybrid([star(0, 2, 1), star(5, 6)], [star(0, 1), star(5, 2, 6)])), [0, 1, 5, 2, 6]);
});

for (const [i, [reduce, broadcast]] of pairs.entries()) {
  test(`a barrier whose trees reach different PEs is refused, ${i}`, () => {
    for (const barrier of [byTrees(reduce, broadcast), hybrid([reduce, star(5)], [broadcast, star(5)])]) {
      try {
        barrierMembers(barrier, "plan.barrier");
      } catch (error) {
        assert.instance(error, UsageError);
        assert.is(
          (error as Error).message,
          "plan.barrier: expected reduce and broadcast to reach the same PEs. [ERR_TUNDISH_USAGE]",
        );
        continue;
      }
      throw new Error(`${barrier.kind} was taken`);
    }
  });
}

test.run();

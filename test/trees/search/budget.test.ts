/** A budget of time is kept, by a clock that says when it is looked at: no stopwatch on a busy machine. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { generateTrees, treesOf } from "../../../trees/generate/generate.ts";
import { Deadline } from "../../../trees/model/deadline.ts";
import { treeLatency } from "../../../trees/model/latency.ts";
import { assertSpans, loadMachine } from "../support/reference.ts";

const test = suite("budget");
const BIG = "c2c-dual-amd-epyc-7742-64-core-processor";

test("a deadline and its shares", () => {
  let now = 100;
  const clock = () => now;
  const deadline = new Deadline(40, clock);
  const half = deadline.share(0.5);
  now = 120;
  assert.equal([half.isOver(), half.left(), deadline.isOver(), deadline.left()], [true, 0, false, 20]);
  now = 140;
  assert.ok(deadline.isOver() && deadline.share(0.5).isOver());
  const never = new Deadline(undefined, clock);
  assert.equal(
    [never.isSet, never.isOver(), never.left(), never.share(0.1).isOver()],
    [false, false, Number.POSITIVE_INFINITY, false],
  );
});

for (const name of ["smelt-intel-xeon-e5-v2-2x10", BIG]) {
  test(`${name}: whenever time is up, the rest is left undone`, () => {
    const machine = loadMachine(name);
    const all = machine.pes.map((_, pe) => pe);
    // so many looks at the clock take the whole budget
    for (const looks of [0, 1, 10, 60, 300]) {
      let seen = 0;
      const trees = treesOf(machine, { budget: looks }, () => seen++);
      assert.ok(seen <= looks + 150, `${looks} looks: ${seen} were taken`);
      assertSpans(trees.broadcast, all, "broadcast");
      assertSpans(trees.reduce, all, "reduce");
      for (const row of trees.baselines) {
        assert.ok(trees.broadcast.latency <= row.broadcast, row.algorithm);
        assert.ok(trees.reduce.latency <= row.reduce, row.algorithm);
        assert.ok(trees.barrier.latency <= row.barrier, row.algorithm);
      }
      assert.ok(trees.bound.broadcast > 0 && trees.bound.broadcast <= trees.broadcast.latency);
      assert.ok(trees.bound.reduce > 0 && trees.bound.reduce <= trees.reduce.latency);
      const again = treeLatency(trees.broadcast, machine);
      assert.ok(Math.abs(again - trees.broadcast.latency) <= 1e-9 * again);
    }
  });
}

test("without a budget nobody looks at the clock, and the trees are the same", () => {
  const machine = loadMachine("smelt-intel-xeon-e5-v2-2x10");
  const trees = treesOf(machine, { moves: 3000 }, () => {
    throw new Error("looked at the clock");
  });
  assert.equal(trees, generateTrees(machine, { moves: 3000 }));
});

test.run();

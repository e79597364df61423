/** Which changes the annealing keeps: by the rule, a step back with the chance (before / after)^strictness. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { groupCosts } from "../../../trees/model/group-costs.ts";
import type { Shape } from "../../../trees/model/tree.ts";
import { SoftTrees } from "../../../trees/search/soft-tree.ts";
import { model, uniform } from "../support/reference.ts";

const test = suite("annealing");

// two PEs, either of which may be the root: with the sharpness ln 2 the sums are 1 + 2 * 1.5 = 4 and 1 + 2 * 3.5 = 8
const nothing = [
  [0, 0],
  [0, 0],
];
const propagate = [
  [0, Math.log2(1.5)],
  [Math.log2(3.5), 0],
];
const problem = groupCosts(model(uniform(2, 1), nothing, { propagate }), [0, 1]);
const start: Shape = { root: 0, children: [[1], []] };
const MOVES = 40_000;

/** The share of the time in which the worse of the two trees stands. The only change is there and back, as often tried. */
function shareOfWorse(strictness: number): number {
  const soft = new SoftTrees(problem, [start], 1);
  soft.sharpen(Math.LN2, strictness);
  const [tree] = soft.trees;
  tree.sharpen();
  let worse = 0;
  for (let i = 0; i < MOVES; i++) {
    tree.move(1);
    if (tree.sum() > 6) worse++;
  }
  return worse / MOVES;
}

for (const strictness of [0.25, 1, 3]) {
  test(`a change for the worse is kept with its chance, strictness ${strictness}`, () => {
    const odds = (4 / 8) ** strictness;
    const share = shareOfWorse(strictness);
    assert.ok(Math.abs(share - odds / (1 + odds)) < 0.02, `${share} of the time with odds of ${odds}`);
  });
}

test("none is kept when that is strict enough", () => {
  assert.is(shareOfWorse(1e6), 0);
});

test.run();

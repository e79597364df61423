/** Summary statistics. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { median, medianBetween } from "../../src/base/math.ts";

const test = suite("statistics");

test("the median of a distribution lies between the bounds in 95 % of the samples, or a few more", () => {
  let state = 12345;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (const size of [10, 50, 181]) {
    const samples = 4000;
    let inside = 0;
    for (let i = 0; i < samples; i++) {
      // far from symmetric, with median ln 2
      const values = Array.from({ length: size }, () => -Math.log(1 - next()));
      const [low, high] = medianBetween(values);
      if (low <= Math.LN2 && Math.LN2 <= high) inside++;
    }
    const share = inside / samples;
    assert.ok(share > 0.94 && share < 0.995, `${size} values: ${share}`);
  }
});

test("it has the median in it, and of few values all are", () => {
  assert.equal(medianBetween([3]), [3, 3]);
  assert.equal(medianBetween([2, 1, 3]), [1, 3]);
  assert.equal(medianBetween([]), [Number.NaN, Number.NaN]);
  for (let size = 1; size < 100; size++) {
    const values = Array.from({ length: size }, (_, i) => (i * 37) % size);
    const [low, high] = medianBetween(values);
    assert.ok(low <= median(values) && median(values) <= high);
  }
});
test.run();

/** Plans of exchanges against the simulator: what they choose is close to the best discipline in most cases. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { drawnCase, judgeExchange, namedCases } from "../../../packages/tundish-bench/src/traffic/planned.ts";

const test = suite("plans of exchanges in the simulator");

const judged = namedCases().map(judgeExchange);
const worst = (list: readonly number[]) => Math.max(...list);
const mean = (list: readonly number[]) => Math.exp(list.reduce((sum, one) => sum + Math.log(one), 0) / list.length);

test("within 10 % of the best discipline in most cases, and never far off", () => {
  const within = judged.filter(({ excess }) => excess <= 1.1);
  // 28 of 30, 1.34 when it was written
  assert.ok(judged.length >= 12 && within.length >= 0.85 * judged.length, `${within.length} of ${judged.length}`);
  assert.ok(worst(judged.map(({ excess }) => excess)) < 1.4);
});

test("better than eager alone, and not always the same one", () => {
  const plans = mean(judged.map(({ excess }) => excess));
  const eager = mean(judged.map((one) => one.eager));
  assert.ok(plans - 1 < (eager - 1) / 3, `${plans} and ${eager}`);
  assert.ok(new Set(judged.map(({ discipline }) => discipline)).size >= 4);
});

test("the predicted time of what is chosen is close", () => {
  const far = judged.filter(({ predicted, simulated }) => Math.abs(predicted / simulated - 1) > 0.3);
  assert.equal(far, []);
});

test("drawn networks and loads", () => {
  const drawn = Array.from({ length: 12 }, (_, i) => judgeExchange(drawnCase(2 * i + 2)));
  const within = drawn.filter(({ excess }) => excess <= 1.1);
  // 11 of 12 when it was written
  assert.ok(within.length >= 10, `${within.length} of ${drawn.length}`);
});

test.run();

/** `tundish bench adapt` from end to end, with little input: shape and sense, not speed; and its judgement. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SIZES } from "../../../packages/tundish-bench/src/adapt/cases.ts";
import {
  type AdaptTimes,
  type JudgedAdapting,
  judgeAdapting,
} from "../../../packages/tundish-bench/src/adapt/measure.ts";
import type { SimulatedAdapting } from "../../../packages/tundish-bench/src/adapt/simulate.ts";
import { adaptingSummaryText } from "../../../packages/tundish-bench/src/cli/text/bench-adapt-text.ts";
import { cli, cliHere } from "../../interface/cli/support/cli.ts";

const test = suite("cli bench adapt");

test("three programs at two rates, in the simulator and on threads", async () => {
  const { code, stdout, stderr } = await cli(["bench", "adapt", "--quick", "--pes", "2", "--json"]);
  assert.is(code, 0, stderr);
  const { schema, simulated, measured } = JSON.parse(stdout) as {
    readonly schema: string;
    readonly simulated: readonly SimulatedAdapting[];
    readonly measured: readonly JudgedAdapting[];
  };
  assert.is(schema, "tundish/bench-adapt@1");
  for (const all of [simulated, measured]) {
    assert.equal(
      all.map(({ app, gap }) => `${app} ${gap}`),
      [0, 1000].flatMap((gap) => ["stream", "synthetic", "random-access"].map((app) => `${app} ${gap}`)),
    );
    for (const { sizes, best, ratio } of all) {
      assert.equal(
        sizes.map(({ bytes }) => bytes),
        SIZES,
      );
      assert.ok(sizes.every(({ seconds }) => seconds > 0) && SIZES.includes(best) && ratio > 0);
    }
  }
  for (const { between, ratio, beside } of measured) {
    assert.ok(between[0] <= ratio && ratio <= between[1] && beside > 0);
  }
  // virtual times are no noise
  for (const { sizes, adapted, best, ratio, delayRatio } of simulated) {
    const least = Math.min(...sizes.map(({ seconds }) => seconds));
    assert.is(sizes.find(({ bytes }) => bytes === best)?.seconds, least);
    assert.is(ratio, adapted.seconds / least);
    assert.ok(ratio < 1.05 && delayRatio < 1.05, `${ratio} x the time, ${delayRatio} x the delay`);
  }
});

test("the best size is judged by other rounds than those that chose it", () => {
  // 512 was best, and is slower now
  const times: AdaptTimes = {
    sizes: SIZES.map((size) => (size === 512 ? [1, 1] : [4, 2])),
    best: 512,
    runs: [
      { beside: [2, 4, 2], adapted: [3, 8, 3] },
      { beside: [1, 1, 1], adapted: [2, 2, 9] },
      { beside: [4, 4, 4], adapted: [4, 4, 4] },
    ],
  };
  const judged = judgeAdapting({ app: "stream", gap: 0, pes: 2, nodes: 1, words: [] }, times);
  assert.equal([judged.best, judged.ratio, judged.adapted, judged.beside], [512, 1.5, 4, 2]);
  assert.equal(judged.between, [1, 2]);
  assert.equal(judged.sizes[0], { bytes: 16_384, seconds: 3 });
  assert.is(
    adaptingSummaryText("threads", [judged, { ...judged, ratio: 1.05 }, { ...judged, ratio: 1 }]),
    "threads: no more than 5.0 % behind the best size in 2 of 3 cases; median 1.05, worst 1.50 x its time",
  );
});

test("options that cannot be", async () => {
  const { code, stderr } = await cliHere(["bench", "adapt", "--only", "mpi"]);
  assert.is(code, 2);
  assert.match(stderr, /--only.*simulator, threads/);
});

test.run();

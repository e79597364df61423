/** `bench plan --measure`: what samples come to, and a few on real threads. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { MeasuredGridChoice } from "../../packages/tundish-bench/src/plan/measure.program.ts";
import { compareMeasured, measuredSummary } from "../../packages/tundish-bench/src/plan/measure.ts";
import { measuredCases } from "../../packages/tundish-bench/src/plan/measure-cases.ts";
import type { Prediction } from "../../src/plan/model/predict.ts";
import { cli } from "../interface/cli/support/cli.ts";

const test = suite("measured plans");

const choice = (bufferBytes: number, isPromising: boolean, times: number[]): MeasuredGridChoice => {
  const shape = { type: "tensor", hops: 1, groupSize: 2, buffersPerLink: 2 } as const;
  const parts = { time: 5, work: 5, network: 0, waiting: 0, memory: 0, hopsTaken: [] };
  return { prediction: { ...shape, bufferBytes, ...parts } as Prediction, isPromising, times };
};
const one = { pes: 2, itemBytes: 8, load: 100 };

test("the plan and the tuned plan over the best; the machine's modes cancel out", () => {
  // the machine is ten times as slow in the last three rounds
  const slow = [1, 1, 1, 10, 10, 10];
  const times = (ns: number) => slow.map((factor) => factor * ns);
  const choices = [
    choice(256, true, times(12)),
    choice(512, true, times(10)),
    choice(1024, false, times(8)),
    choice(2048, false, [30]),
  ];
  const compared = compareMeasured(one, { pes: 2, nodes: 1, choices });
  assert.equal([compared.plan.bufferBytes, compared.tuned.bufferBytes, compared.best.bufferBytes], [256, 512, 1024]);
  assert.ok(Math.abs(compared.regret - 0.5) < 1e-9);
  assert.ok(Math.abs(compared.regretOfTuned - 0.25) < 1e-9);
  const { plan, tuned, cases } = measuredSummary([compared, { ...compared, regret: 0, regretOfTuned: 0 }]);
  assert.is(cases, 2);
  assert.equal(
    [plan, tuned].map(({ worst }) => worst.toFixed(3)),
    ["1.500", "1.250"],
  );
  assert.equal(
    [plan, tuned].map(({ median }) => median.toFixed(3)),
    ["1.250", "1.125"],
  );
});

test("there are 16 cases or more", () => {
  assert.ok(measuredCases().length >= 16);
});

test("a table of all cases, and the targets", async () => {
  const { code, stdout, stderr } = await cli(["bench", "plan", "--measure", "--pes", "2", "--quick"]);
  assert.is(code, 0, stderr);
  assert.is(stdout.match(/^1 x 2 /gm)?.length, measuredCases([2], true).length, stdout);
  assert.match(stdout, /^target: at most +1\.10 +1\.30$/m);
  assert.match(stdout, /^A session takes [\d.]+ x what was predicted/m);
});

test.run();

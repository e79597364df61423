/** Plans keep to the usual buffers, or to smaller ones that send as many messages, where others gain less than the model errs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { planCases } from "../../packages/tundish-bench/src/plan/plan-cases.ts";
import { timeOf } from "../../packages/tundish-bench/src/plan/plan-run.ts";
import { planConveyor } from "../../src/plan/conveyor/plan.ts";
import type { Candidate } from "../../src/plan/model/cost-model.ts";
import { type Prediction, predict } from "../../src/plan/model/predict.ts";
import { shapeCosts } from "../../src/plan/model/shape.ts";
import { settle } from "../../src/running/simulate/options.ts";

const test = suite("usual buffers in plans");

test("two nodes that fill a network: 2 x 16 KiB, told, which the simulator finds faster than what the model does", () => {
  const network = {
    ...{ alpha: 5665, beta: 0, queue: 32, packetBytes: 8192 },
    injection: { message: 676, byte: 0.81 },
    ejection: { message: 338, byte: 0.405 },
    topology: { kind: "full", byte: 1.62 },
  } as const;
  const options = { pes: 32, nodes: 2, network };
  const workload = { itemBytes: 32, load: 3000 };
  const model = settle(options);
  const plan = planConveyor(model, workload, { type: "tensor", hops: 2, groupSize: 8 });
  assert.ok(plan !== null);
  assert.equal([plan.options.bufferBytes, plan.options.buffersPerLink], [16_384, 2]);
  const told =
    /^ {2}tensor, 2 hops in groups of 8, 4 x \d+ KiB .* the model, which may be wrong by as much between sizes/m;
  assert.match(plan.explain(), told);
  const small: Candidate = { ...plan.expected, bufferBytes: 2048, buffersPerLink: 4 };
  const predicted = predict(model, workload, small, shapeCosts(model)(small)).time;
  assert.ok(predicted < 0.99 * plan.expected.time, `${predicted} and ${plan.expected.time}`);
  const one = { name: "", options, maxBytes: undefined, ...workload };
  const [usual, other] = [timeOf(one, plan.expected), timeOf(one, small)];
  assert.ok(usual < 0.95 * other, `${usual} and ${other}`);
});

test("any machine and load: other buffers only where they take 7 % less", () => {
  let [others, usuals, doubted] = [0, 0, 0];
  for (const { options, itemBytes, load, maxBytes } of planCases({ cases: 60, seed: 9 })) {
    const model = settle(options);
    const workload = { itemBytes, load, maxBytes };
    const plan = planConveyor(model, workload);
    assert.ok(plan !== null);
    const { expected } = plan;
    if (/ may be wrong by as much /.test(plan.explain())) doubted++;
    const shape: Candidate = { ...expected, bufferBytes: 16_384, buffersPerLink: 2 };
    const usual = predict(model, workload, shape, shapeCosts(model)(shape));
    const messages = ({ hopsTaken }: Prediction) => hopsTaken.reduce((sum, { buffers }) => sum + buffers, 0);
    if (maxBytes !== undefined && usual.memory > maxBytes) continue;
    if (expected.time < 0.93 * usual.time) others++;
    else {
      usuals++;
      assert.ok(messages(expected) <= 1.011 * messages(usual), plan.explain());
      assert.ok(expected.memory <= usual.memory, plan.explain());
    }
  }
  assert.ok(others > 1 && usuals > 10 && doubted > 3, `${others}, ${usuals}, ${doubted}`);
});

test.run();

/** Plans over a measured network: smaller buffers than the model's fastest, where they take hardly longer; and a discipline. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../src/ground/base/errors.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { makePlan } from "../../src/plan/conveyor/make-plan.ts";
import { planUnknown } from "../../src/plan/conveyor/unknown-load.ts";
import { planDocument } from "../../src/plan/document/document.ts";
import { formatPlan } from "../../src/plan/document/file.ts";
import { parsePlan } from "../../src/plan/document/schema.ts";
import { costModelOf } from "../../src/plan/model/machine.ts";
import { syntheticMachine } from "../collectives/support/plans.ts";

const test = suite("plans over a measured network");

/** As eight hosts that receive 100 Mbit/s: a message of m bytes, and of a stream the gap. */
function measured(alpha: number, beta: number, message: number, byte: number): MachineModel {
  const residual = { median: 0, worst: 0 };
  const sizes = [8, 65_536];
  const pes = [1, 2].map((count) => ({
    ...{ pes: count, alpha, beta, residual, gap: { message, byte, residual }, overhead: 7000 },
    latency: sizes.map((size) => alpha + beta * size),
    stream: sizes.map((size) => message + byte * size),
  }));
  const receiver = { fixed: 0, sender: 2600, residual };
  return { ...syntheticMachine(1), internode: { alpha, beta, sizes, pes, receiver } };
}
/** The links decide, or the messages. */
const SLOW = measured(380_000, 32, 60_000, 75);
const FAST = measured(20_000, 0.1, 40_000, 0.1);
const JOB = { nodes: 8, pes: 8, itemBytes: 64 };

test("where the links decide, buffers of a burst; by hand larger ones are within 15 % by the model", () => {
  // room for the largest, too
  const room = { ...JOB, maxBytes: 2 ** 23 };
  for (const load of [20_000, 200_000]) {
    const plan = makePlan(SLOW, { ...room, load });
    assert.ok(plan.options.bufferBytes >= 16_384 && plan.options.bufferBytes < 65_536, plan.explain());
    const { hops, groupSize } = plan.options;
    const large = makePlan(SLOW, { ...room, load, hops, groupSize, bufferBytes: 65_536, buffersPerLink: 4 });
    const ratio = plan.expected.time / large.expected.time;
    assert.ok(ratio >= 1 && ratio <= 1.15, `${ratio}`);
    assert.ok(plan.expected.memory < large.expected.memory);
    assert.match(plan.explain(), /\d x \d+ KiB for each link would take [\d.]+ % less by the model/);
    assert.match(plan.explain(), /\(of \d+\)/);
    assert.match(plan.explain(), /discipline: eager, as a sender keeps no more under way/);
  }
});

test("what is told of others is never faster, whatever the network, the load and what is forced", () => {
  let cases = 0;
  const given = [{}, { mesh: [2, 4] }, { hops: 2 as const }, { bufferBytes: 65_536 }, { buffersPerLink: 1 as const }];
  for (const beta of [0.1, 8, 32])
    for (const message of [1000, 60_000])
      for (const load of [100, 3000, 20_000])
        for (const forced of given) {
          const plan = makePlan(measured(6 * message, beta, message, 2 * beta), { ...JOB, load, ...forced });
          cases++;
          for (const { time } of plan.others) assert.ok(time >= 0.99 * plan.expected.time, plan.explain());
          assert.not.match(plan.explain(), /^not .* % less/m);
        }
  assert.is(cases, 90);
});

test("where messages cost most, buffers stay large; and so they do in a network that is not measured", () => {
  const { options } = makePlan(FAST, { ...JOB, load: 200_000 });
  assert.is(options.bufferBytes, 65_536);
  const { internode, ...rest } = SLOW;
  const plan = makePlan(rest, { ...JOB, load: 200_000 });
  assert.is(plan.options.bufferBytes, 65_536);
  assert.not.match(plan.explain(), /by the model, which|discipline/);
});

test("the same without a load, and what is forced is kept", () => {
  const { options } = planUnknown(costModelOf(SLOW, JOB), { itemBytes: 64 }) ?? { options: { bufferBytes: 0 } };
  assert.ok(options.bufferBytes >= 16_384 && options.bufferBytes < 65_536, JSON.stringify(options));
  const forced = makePlan(SLOW, { ...JOB, load: 20_000, bufferBytes: 65_536 });
  assert.is(forced.options.bufferBytes, 65_536);
});

test("a discipline is kept, told, written and read, and takes a tensor", () => {
  const plan = makePlan(SLOW, { ...JOB, load: 20_000, discipline: "token" });
  assert.is(plan.options.discipline, "token");
  assert.is(plan.options.type, "tensor");
  assert.equal(plan.forced, ["discipline"]);
  assert.match(plan.explain(), /discipline: token, which the times here do not count/);
  const read = parsePlan(JSON.parse(formatPlan(planDocument({ "*": plan }))));
  assert.is(read.conveyors["*"]?.choice.discipline, "token");
  assert.equal(read.conveyors["*"]?.forced, ["discipline"]);
  // on one node, where a simple one may be faster
  assert.is(makePlan(undefined, { pes: 4, itemBytes: 8, load: 10, discipline: "barrier" }).options.type, "tensor");
  for (const type of ["simple", "trivial"] as const) {
    assert.throws(
      () => makePlan(SLOW, { ...JOB, load: 20_000, type, discipline: "token" }),
      (error: unknown) =>
        error instanceof UsageError && /^discipline: a (simple|trivial) conveyor has none/.test(error.message),
    );
    const own = makePlan(SLOW, { ...JOB, load: 20_000, type, discipline: "eager" });
    assert.is(own.options.type, type);
    assert.not.match(makePlan(SLOW, { ...JOB, load: 20_000, type }).explain(), /discipline/);
  }
  assert.throws(
    () => makePlan(SLOW, { ...JOB, load: 20_000, discipline: "static" as "token" }),
    /discipline: expected one of/,
  );
});

test.run();

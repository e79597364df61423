/** Plans of steady conveyors, which are not simple, and of items of any length, which begin by a vote over nodes. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bytes } from "../../src/ground/item/item-type.ts";
import { makePlan, type PlanWorkload } from "../../src/plan/conveyor/make-plan.ts";
import { planConveyor } from "../../src/plan/conveyor/plan.ts";
import { planDocument } from "../../src/plan/document/document.ts";
import { formatPlan } from "../../src/plan/document/file.ts";
import { parsePlan } from "../../src/plan/document/schema.ts";
import { costModelOf } from "../../src/plan/model/machine.ts";
import { voteTime } from "../../src/plan/model/predict.ts";
import type { ConveyorOptions } from "../../src/route/geometry/options.ts";
import { settle } from "../../src/running/simulate/options.ts";
import { simulate } from "../../src/running/simulate/simulate.ts";

const test = suite("plans of steady and of elastic conveyors");

/** Large items, many of them: exchanges of all PEs are the fastest. */
const base: PlanWorkload = { pes: 64, itemBytes: 1000, load: 10_000 };

test("a steady one is no simple one, unless that is forced; its workload says so", () => {
  assert.is(makePlan(undefined, base).options.type, "simple");
  const plan = makePlan(undefined, { ...base, steady: true });
  assert.equal([plan.options.type, plan.forced], ["tensor", []]);
  assert.is(makePlan(undefined, { ...base, steady: true, type: "simple" }).options.type, "simple");
  const { workload } = parsePlan(JSON.parse(formatPlan(planDocument({ "*": plan })))).conveyors["*"] ?? {};
  assert.equal(workload, { itemBytes: 1000, load: 10_000, steady: true });
  const wrong = JSON.parse(formatPlan(planDocument({ "*": plan })));
  wrong.conveyors["*"].workload.steady = 1;
  assert.throws(() => parsePlan(wrong), /^conveyors\.\*\.workload\.steady: expected true or false/);
});

test("so in conveyors: of a load, and of a plan for one that is not steady", () => {
  const told = (options: ConveyorOptions, world: object = {}) =>
    // biome-ignore lint/correctness/useYield: nothing is waited for
    simulate({ pes: 64, ...world }, function* (pe) {
      const c = pe.conveyor(bytes(8), options);
      const text = c.explain();
      c.free();
      return text;
    }).results[0] as string;
  const load = { load: 1e5, maxBytes: 65_536 };
  assert.match(told(load), /^100000 items .*\nsimple, /);
  assert.match(told({ ...load, steady: true }), /^100000 items .*\ntensor, /);
  const plan = planDocument({ "*": makePlan(undefined, base) });
  assert.match(told({}, { plan }), /^simple, /);
  assert.match(told({ steady: true }, { plan }), /^tensor, [\s\S]*type: tensor, as it is steady, not simple as in/);
  assert.match(told({ steady: true, type: "simple" }, { plan }), /^simple, /);
});

test("items of any length: over nodes each session begins by a vote, and a type for them is refused", () => {
  const few = {
    pes: 8,
    nodes: 2,
    itemBytes: 16,
    load: 30,
    hops: 2,
    groupSize: 4,
    bufferBytes: 512,
    buffersPerLink: 2,
  } as const;
  const [plain, elastic] = [makePlan(undefined, few), makePlan(undefined, { ...few, elastic: true })];
  const vote = voteTime(costModelOf(undefined, few));
  assert.ok(Math.abs(elastic.expected.time - plain.expected.time - vote) < 1, `${vote}`);
  assert.is(
    makePlan(undefined, { ...few, nodes: 1, elastic: true }).expected.time,
    makePlan(undefined, { ...few, nodes: 1 }).expected.time,
  );
  assert.throws(
    () => makePlan(undefined, { itemBytes: 16, load: 30, pes: 8, elastic: true, type: "trivial" }),
    /^type: expected "tensor" or "simple" beside elastic, got "trivial"/,
  );
  const forced = { hops: 2, groupSize: 4, bufferBytes: 512, buffersPerLink: 2 } as const;
  const own = planConveyor(settle({ pes: 8, nodes: 2 }), { itemBytes: 16, load: 30, elastic: true }, forced);
  // biome-ignore lint/correctness/useYield: nothing is waited for
  const { results } = simulate({ pes: 8, nodes: 2 }, function* (pe) {
    return pe.elasticConveyor({ load: 30, itemBytes: 8, ...forced }).explain();
  });
  assert.match(results[0] as string, own?.explain().split("\n")[1] as string);
});

test.run();

/** Meshes in plans: chosen where they take clearly less, which the simulator shows; told; and where there are none. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { timeOf } from "../../packages/tundish-bench/src/plan/plan-run.ts";
import { bytes } from "../../src/ground/item/item-type.ts";
import { makePlan, type PlanWorkload } from "../../src/plan/conveyor/make-plan.ts";
import { planConveyor } from "../../src/plan/conveyor/plan.ts";
import { planDocument } from "../../src/plan/document/document.ts";
import { formatPlan } from "../../src/plan/document/file.ts";
import { parsePlan } from "../../src/plan/document/schema.ts";
import { settle } from "../../src/running/simulate/options.ts";
import { simulate } from "../../src/running/simulate/simulate.ts";

const test = suite("meshes in plans");

/** Many nodes of which each PE has few items for each: votes of two and three hops wait for hundreds of messages. */
const base: PlanWorkload = { pes: 128, nodes: 64, itemBytes: 16, load: 100 };
const options = { pes: 128, nodes: 64 };
const one = { name: "", options, itemBytes: 16, load: 100, maxBytes: undefined };

test("many nodes and few items: a mesh, told with its ways; it takes less than the best groups in the simulator", () => {
  const model = settle(options);
  const plan = planConveyor(model, base);
  const groups = plan?.others.find(({ mesh }) => mesh === undefined);
  assert.ok(plan !== null && groups !== undefined);
  assert.equal(plan.options.mesh, [2, 4, 4, 4]);
  assert.equal([plan.options.hops, plan.options.groupSize], [undefined, undefined]);
  assert.match(
    plan.explain(),
    /^tensor, 4 hops in a mesh of 2 x 4 x 4 x 4, [\s\S]*the greatest dimension is between[\s\S]*\nnot tensor, \d hops in groups of .*: waiting for room, last buffers and votes, /m,
  );
  const [mesh, best] = [timeOf(one, plan.expected), timeOf(one, groups)];
  assert.ok(mesh < 0.8 * best, `${mesh} instead of ${best}`);
});

test("not where hops, groups or another type are given, for a rate, nor for less than 5 %", () => {
  const meshOf = (some: Partial<PlanWorkload>) => makePlan(undefined, { ...base, ...some }).options.mesh;
  assert.ok(meshOf({}) !== undefined && meshOf({ type: "tensor" }) !== undefined);
  for (const some of [{ hops: 2 }, { groupSize: 2 }, { type: "simple" }, { rate: 1e5, delayCost: 0.01 }] as const)
    assert.is(meshOf(some), undefined, JSON.stringify(some));
  // in as many hops as groups it saves a few items' ways
  const equal = { pes: 64, nodes: 64, load: 1e5 };
  const [free, mesh] = [
    makePlan(undefined, { ...base, ...equal }),
    makePlan(undefined, { ...base, ...equal, mesh: [4, 4, 4] }),
  ];
  assert.is(free.options.mesh, undefined);
  assert.ok(mesh.expected.time > 0.95 * free.expected.time);
});

test("in a document, and in a conveyor with this load", () => {
  const document = parsePlan(JSON.parse(formatPlan(planDocument({ "*": makePlan(undefined, base) }))));
  assert.equal(document.conveyors["*"]?.choice.mesh, [2, 4, 4, 4]);
  const told = simulate({ pes: 128, nodes: 64, plan: document }, function* (pe) {
    yield* pe.turn();
    return pe.conveyor(bytes(16)).explain();
  }).results[0] as string;
  assert.match(told, /^tensor, 4 hops in a mesh of 2 x 4 x 4 x 4, .*: conveyors\.\* of /);
  const own = simulate({ pes: 128, nodes: 64 }, function* (pe) {
    const c = pe.conveyor(bytes(16), { load: 100 });
    yield* c.begin();
    let got = 0;
    const item = new Uint8Array(16);
    for (let i = 0; yield* c.advance(i === 100); ) {
      for (; i < 100; i++) if (!c.push((pe.rank + i) % 128, item)) break;
      while (c.pull()) got++;
    }
    yield* c.reset();
    return `${got} ${c.explain().split("\n")[1]}`;
  });
  for (const result of own.results) assert.match(result, /^100 tensor, 4 hops in a mesh of 2 x 4 x 4 x 4/);
});

test.run();

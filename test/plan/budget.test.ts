/** The memory that plans keep to when nothing is said. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { makePlan } from "../../src/plan/conveyor/make-plan.ts";

const test = suite("the usual budget of plans");

test("it is that of a node, whatever the number of nodes", () => {
  for (const nodes of [4, 128, 2048]) {
    const workload = { pes: 32 * nodes, nodes, itemBytes: 16, load: 1e6 };
    const [usual, told] = [undefined, 4 * 2 ** 20].map((maxBytes) => makePlan(undefined, { ...workload, maxBytes }));
    assert.equal(usual?.options, told?.options, `${nodes} nodes`);
  }
  const { memory } = makePlan(undefined, { pes: 1024, nodes: 4, itemBytes: 16, load: 1e6 }).expected;
  assert.ok(256 * memory <= 128 * 2 ** 20, `${memory}`);
});

test.run();

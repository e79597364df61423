/** The memory that plans keep to when nothing is said, and how it is counted. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { makePlan } from "../../src/plan/conveyor/make-plan.ts";
import { candidatesFor, memoryOn } from "../../src/plan/model/candidates.ts";
import { meshesOf } from "../../src/plan/model/meshes.ts";
import { shapeCosts } from "../../src/plan/model/shape.ts";
import { scratchBuffers, storedBytes } from "../../src/route/geometry/conveyor-choice.ts";
import { byDomains } from "../../src/route/geometry/grid.ts";
import { makeMesh, makeRoute } from "../../src/route/geometry/make-route.ts";
import { groupNodes, nodesLayout } from "../../src/route/geometry/nodes.ts";
import type { Hops } from "../../src/route/geometry/route.ts";
import { settle } from "../../src/running/simulate/options.ts";

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

test("a plan over nodes counts what its conveyor takes of the heap: links to other nodes have buffers for each direction", () => {
  for (const [pes, nodes] of [
    [2, 2],
    [16, 4],
    [60, 5],
    [64, 16],
    [512, 32],
  ] as const) {
    const model = settle({ pes, nodes });
    const nodeSize = pes / nodes;
    const memory = memoryOn(model, shapeCosts(model));
    const starts = Array.from({ length: nodes + 1 }, (_, node) => node * nodeSize);
    const layout = nodesLayout(groupNodes({ node: 0, starts }, [...Array(pes).keys()]));
    const near = byDomains(pes, model.levels);
    for (const one of candidatesFor({ pes, itemBytes: 8, meshes: meshesOf(model, []) })) {
      const { hops, groupSize, mesh, bufferBytes, buffersPerLink: perLink } = one;
      const route = mesh ? makeMesh(pes, mesh, near) : makeRoute(pes, groupSize, hops as Hops, near);
      const exact = layout.bytesOf(route, scratchBuffers(false), { bytes: storedBytes(bufferBytes), perLink });
      const ratio = exact / memory(one);
      assert.ok(ratio <= 1 && ratio > 0.8, `${ratio} of ${JSON.stringify(one)} of ${pes} PEs on ${nodes} nodes`);
    }
  }
});

test.run();

/** Every collective on virtual PEs, on one node and over several: the same cases and references as on threads. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SimulationOptions } from "../../../src/running/simulate/options.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import program from "../../collectives/programs/every.program.ts";
import { anyCase, type Case, EDGES, everyEdge, everyKindAndOp } from "../../collectives/support/cases.ts";
import { chain, disseminating, hybrid } from "../../collectives/support/plans.ts";
import { samplePlan } from "../../plan/support/sample.ts";
import { rounds } from "../../support/long.ts";

/** The Async form, of the group: the free functions are those of the thread's PE. */
const awaited = (one: Case): Case => ({ ...one, form: "async", seed: 3 * one.seed + 1 });

async function check(options: SimulationOptions, cases: readonly Case[]): Promise<void> {
  const args = { cases: cases.map(awaited), arenaBytes: 2 ** 22 };
  const { results } = await simulateAsync({ memoryBytes: 2 ** 27, ...options, args }, program);
  assert.equal(results, Array(options.pes).fill(cases.length));
}

const tables = suite("each once on virtual PEs");
const LENGTHS = [1, 7, 33, 0, 130];
for (const [pes, nodes] of [
  [1, 1],
  [2, 1],
  [5, 1],
  [4, 2],
  [6, 3],
  [4, 4],
] as const) {
  tables(`every call with every type and op, ${pes} PEs on ${nodes} nodes`, () => {
    // a third of the cases for each shape but the smallest
    const some = everyKindAndOp(LENGTHS).filter((_, i) => pes < 3 || i % 3 === (pes + nodes) % 3);
    return check({ pes, nodes, seed: pes, jitter: pes % 3 }, some);
  });
}
for (const [pes, nodes] of [
  [3, 1],
  [4, 2],
] as const) {
  tables(`every call and algorithm where something changes, ${pes} PEs on ${nodes} nodes`, () =>
    check(
      { pes, nodes },
      everyEdge(["Float64Array"], EDGES).filter((_, i) => i % 3 === nodes % 3),
    ),
  );
}
for (const [name, make] of [
  ["dissemination", disseminating],
  ["hybrid", hybrid],
  ["a chain", chain],
] as const) {
  tables(`over other trees: ${name}`, () => {
    const cases = everyKindAndOp([2, 60]).filter((_, i) => i % 9 === 0);
    return check({ pes: 5, trees: make(5) }, cases);
  });
}
tables("a plan's trees are those of the PEs of a node, unless others are given", async () => {
  const [own, other] = [chain(3), disseminating(3)];
  const plan = { ...samplePlan({}), world: { pes: 6, nodes: 2, pesOfNode: [3, 3] }, trees: own };
  const made = (options: Partial<SimulationOptions>) =>
    simulateAsync({ pes: 6, nodes: 2, plan, ...options }, async (pe) => ({
      sum: await pe.allreduceAsync(1, "sum"),
      trees: pe.trees,
      told: pe.explain(),
    }));
  for (const [options, trees, told] of [
    [{}, own, /^plan, trees: used$/m],
    [{ trees: other }, other, /^plan, trees: not used: the option trees comes before them$/m],
  ] as const) {
    const { results } = await made(options);
    for (const one of results) {
      assert.is(one.sum, 6);
      assert.equal(one.trees, trees);
      assert.match(one.told, told);
    }
  }
  const { results } = await made({ pes: 8, nodes: 4, fit: "adapt" });
  assert.match(results[0]?.told ?? "", /^plan, trees: not used: they are for another world$/m);
});

tables.run();

const properties = suite("any on virtual PEs");
for (const [pes, nodes] of [
  [3, 1],
  [7, 1],
  [6, 2],
  [8, 4],
] as const) {
  properties(`any calls, in any groups of ${pes} PEs on ${nodes} nodes, with any delays`, async () => {
    const cases = fc.array(anyCase(pes), { minLength: 40, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(cases, fc.nat(), fc.constantFrom(0, 1, 10), (cases, seed, jitter) =>
        check({ pes, nodes, seed, jitter }, cases),
      ),
      { numRuns: rounds(3, 30), endOnFailure: true, includeErrorInReport: true },
    );
  });
}
properties.run();

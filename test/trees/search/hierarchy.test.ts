/** Groups too large to be searched whole: beside the published algorithms, and beside what a search of the whole finds. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { randomNumbers } from "../../../src/ground/base/random.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { generateTrees, treesOf } from "../../../trees/generate/generate.ts";
import { NEVER_OVER } from "../../../trees/model/deadline.ts";
import { boundedDomains } from "../../../trees/model/linkage.ts";
import { edgeCosts, treeProblem } from "../../../trees/model/problem.ts";
import { searchTrees } from "../../../trees/search/adaptive.ts";
import { searchParts } from "../../../trees/search/hierarchy.ts";
import { rounds } from "../../support/long.ts";
import {
  assertClose,
  assertSpans,
  broadcastReference,
  loadMachine,
  model,
  reduceReference,
} from "../support/reference.ts";

const test = suite("large groups");

/** Caches of 8 PEs in nodes of 48; without noise all that is alike costs the same. */
function cluster(size: number, noise: number, seed = 1): MachineModel {
  const random = randomNumbers(seed);
  const level = (i: number, j: number): number =>
    i >> 3 === j >> 3 ? 40 : Math.floor(i / 48) === Math.floor(j / 48) ? 120 : 1800;
  const costs = (share: number) =>
    Array.from({ length: size }, (_, i) =>
      Array.from({ length: size }, (_, j) => (i === j ? 0 : share * level(i, j) * (1 + noise * (random() - 0.5)))),
    );
  return model(costs(0.25), costs(0.75));
}

for (const [what, noise, root] of [
  ["noisy", 0.2, undefined],
  ["noisy, with a root", 0.2, 77],
  ["regular", 0, undefined],
  ["regular, with a root", 0, 399],
] as const) {
  test(`${what}: all once, as fast as said, above no published algorithm`, () => {
    const machine = cluster(400, noise);
    const all = machine.pes.map((_, pe) => pe);
    const options = { root, moves: rounds(1000, 20_000) };
    const trees = generateTrees(machine, options);
    assertSpans(trees.broadcast, all, "broadcast");
    assertSpans(trees.reduce, all, "reduce");
    assertClose(trees.broadcast.latency, broadcastReference(trees.broadcast, machine), "broadcast");
    assertClose(trees.reduce.latency, reduceReference(trees.reduce, machine), "reduce");
    if (root !== undefined) assert.equal([trees.broadcast.root, trees.reduce.root], [root, root]);
    for (const row of trees.baselines) {
      assert.ok(trees.broadcast.latency <= row.broadcast, row.algorithm);
      assert.ok(trees.reduce.latency <= row.reduce, row.algorithm);
      assert.ok(trees.barrier.latency <= row.barrier, row.algorithm);
    }
    assert.ok(trees.bound.broadcast > 0 && trees.bound.broadcast <= trees.broadcast.latency);
    assert.ok(trees.bound.reduce > 0 && trees.bound.reduce <= trees.reduce.latency);
    if (noise === 0) assert.equal(generateTrees(machine, options), trees, "the same again");
  });
}

test("some PEs of a larger machine", () => {
  const machine = cluster(400, 0.2);
  const cores = machine.pes.map((_, pe) => pe).filter((pe) => pe % 8 !== 5);
  const { broadcast, reduce } = generateTrees(machine, { cores, root: 9, moves: rounds(1000, 5000) });
  assertSpans(broadcast, cores, "broadcast");
  assertSpans(reduce, cores, "reduce");
  assert.equal([broadcast.root, reduce.root], [9, 9]);
});

test("however the PEs are numbered", () => {
  const size = 400;
  const machine = cluster(size, 0.2);
  const order = machine.pes.map((_, pe) => (pe * 341) % size);
  const turned = (matrix: MachineModel["send"]) => order.map((from) => order.map((to) => matrix[from]?.[to] as number));
  const [one, other] = [machine, model(turned(machine.send), turned(machine.receive))].map((each) =>
    generateTrees(each, { moves: rounds(2000, 5000) }),
  );
  assertClose(other?.broadcast.latency as number, one?.broadcast.latency as number, "broadcast");
  assertClose(other?.reduce.latency as number, one?.reduce.latency as number, "reduce");
  assertClose(other?.barrier.latency as number, one?.barrier.latency as number, "barrier");
});

test("part by part is near to a search of the whole", () => {
  for (const name of ["c2c-amd-epyc-7773x", "mctop-ol-collab1", "smelt-intel-xeon-e5-v2-2x10"]) {
    const machine = loadMachine(name);
    const problem = treeProblem(
      machine,
      machine.pes.map((_, pe) => pe),
      { moves: rounds(20_000, 100_000) },
    );
    const whole = searchTrees(problem);
    const [, parts] = searchParts(problem, NEVER_OVER, (contracted) => searchTrees(contracted).broadcast.shape);
    const ratio = (parts?.broadcast.latency as number) / whole.broadcast.latency;
    assert.ok(ratio < 1.1, `${name}: ${ratio}`);
  }
});

test("a budget is kept here too", () => {
  const machine = cluster(400, 0.2);
  for (const looks of [0, 5, 30]) {
    let seen = 0;
    const { broadcast, baselines } = treesOf(machine, { budget: looks }, () => seen++);
    assert.ok(seen <= looks + 150, `${looks} looks: ${seen}`);
    for (const row of baselines) assert.ok(broadcast.latency <= row.broadcast);
  }
});

test("parts are of those who are near each other, and not too large", () => {
  const machine = cluster(1152, 0.2);
  const problem = treeProblem(
    machine,
    machine.pes.map((_, pe) => pe),
  );
  const domain = boundedDomains(edgeCosts(problem), problem.canonical, 64);
  const sizes = new Map<number, number>();
  for (const [pe, home] of domain.entries()) {
    sizes.set(home, (sizes.get(home) ?? 0) + 1);
    assert.is(home, domain[48 * Math.floor(pe / 48)], "one part for each node of 48");
  }
  assert.equal(new Set(sizes.values()), new Set([48]));
});

test.run();

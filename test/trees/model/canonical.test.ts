/** Renumbering the PEs of a machine changes nothing but the numbers in its trees. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { randomNumbers } from "../../../src/ground/base/random.ts";
import type { MachineModel, Matrix } from "../../../src/machine/model/machine-model.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import type { TreeOptions } from "../../../trees/generate/options.ts";
import { canonicalOrder } from "../../../trees/model/canonical.ts";
import { treeProblem } from "../../../trees/model/problem.ts";
import { LONG, rounds } from "../../support/long.ts";
import { loadMachine, machineNames, model } from "../support/reference.ts";

const test = suite("renumbering");

/** Where a published tree is as good, it may be the one that is named, and its sums are others. */
const ROUNDING = 1e-12;

/** The same machine, what was PE order[i] is PE i. */
function renumbered(machine: MachineModel, order: readonly number[]): MachineModel {
  const turned = (matrix: Matrix): Matrix => order.map((from) => order.map((to) => matrix[from]?.[to] as number));
  const { propagate, ...rest } = machine;
  return {
    ...rest,
    pes: order.map((pe) => machine.pes[pe] as MachineModel["pes"][number]),
    send: turned(machine.send),
    receive: turned(machine.receive),
    ...(propagate && { propagate: turned(propagate) }),
  };
}

function shuffled(size: number, seed: number): number[] {
  const random = randomNumbers(seed);
  const keys = Array.from({ length: size }, () => random());
  return keys.map((_, i) => i).sort((a, b) => (keys[a] as number) - (keys[b] as number));
}

/** Latencies of a machine, and the same with its PEs renumbered; the published algorithms may differ. */
function assertInvariant(machine: MachineModel, seed: number, options: TreeOptions = {}): void {
  const order = shuffled(machine.pes.length, seed);
  const { root, cores } = options;
  const place = (pe: number): number => order.indexOf(pe);
  const latencies = (trees: ReturnType<typeof generateTrees>) => [
    trees.broadcast.latency,
    trees.reduce.latency,
    trees.barrier.latency,
    trees.bound.broadcast,
    trees.bound.reduce,
  ];
  const one = generateTrees(machine, options);
  const other = generateTrees(renumbered(machine, order), {
    ...options,
    ...(root !== undefined && { root: place(root) }),
    ...(cores && { cores: Array.from(cores, place) }),
  });
  const found = latencies(other);
  for (const [i, latency] of latencies(one).entries()) {
    const isSame = Math.abs((found[i] as number) - latency) <= ROUNDING * latency;
    assert.ok(isSame, `${machine.name}, seed ${seed}, ${JSON.stringify(options)}: ${latency}, ${found[i]}`);
  }
}

const seeds = fc.integer({ min: 0, max: 1e6 });
const matrix = (size: number, cost: fc.Arbitrary<number>): fc.Arbitrary<number[][]> =>
  fc
    .array(fc.array(cost, { minLength: size, maxLength: size }), { minLength: size, maxLength: size })
    .map((rows) => rows.map((row, i) => row.with(i, 0)));
/** Random models of some PEs; a root in half of the cases. */
const models = (sizes: { min: number; max: number }, cost: fc.Arbitrary<number>) =>
  fc.integer(sizes).chain((size) =>
    fc.record({
      send: matrix(size, cost),
      receive: matrix(size, cost),
      root: fc.option(fc.integer({ min: 0, max: size - 1 }), { nil: undefined }),
      seed: seeds,
    }),
  );

// eighths are added without rounding, so the sums are the same whatever their order; without bias, as fast-check else
// makes hundreds of costs equal that differ from the others a hundredfold: a published tree by the PEs' own numbers
// then breaks its ties better than a short search, and is chosen
const noisy = fc.noBias(fc.integer({ min: 1000, max: 1e5 })).map((eighths) => eighths / 8);
const tied = fc.integer({ min: 1, max: 3 });

for (const [name, cost] of Object.entries({ noisy, tied })) {
  test(`${name} costs: small groups, which are solved exactly`, () => {
    fc.assert(
      fc.property(models({ min: 1, max: 9 }, cost), ({ send, receive, root, seed }) => {
        assertInvariant(model(send, receive), seed, { root });
      }),
      { numRuns: rounds(25, 100), endOnFailure: true },
    );
  });

  test(`${name} costs: larger groups, which are searched`, () => {
    fc.assert(
      fc.property(models({ min: 14, max: 40 }, cost), ({ send, receive, root, seed }) => {
        assertInvariant(model(send, receive), seed, { root, moves: 4000 });
      }),
      { numRuns: rounds(10, 40), endOnFailure: true },
    );
  });
}

test("domains of domains, all alike: everybody is the same as many others", () => {
  const shapes = fc.array(fc.integer({ min: 2, max: 4 }), { minLength: 1, maxLength: 3 });
  const levels = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(shapes, levels, fc.boolean(), seeds, (shape, steps, hasRoot, seed) => {
      const size = shape.reduce((product, count) => product * count, 1);
      const cost = (i: number, j: number): number => {
        if (i === j) return 0;
        let [within, height] = [1, 0];
        for (const [level, count] of shape.entries()) {
          within *= count;
          height += steps[level] as number;
          if (Math.floor(i / within) === Math.floor(j / within)) break;
        }
        return height;
      };
      const costs = Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => cost(i, j)));
      assertInvariant(model(costs, costs), seed, { moves: 3000, ...(hasRoot && { root: seed % size }) });
    }),
    { numRuns: rounds(10, 40), endOnFailure: true },
  );
});

test("the machines, whole, and with a root, and groups of them", () => {
  const moves = rounds(300, 2000);
  for (const [i, name] of machineNames.entries()) {
    const machine = loadMachine(name);
    const size = machine.pes.length;
    if (size > rounds(24, 64)) continue;
    const half = shuffled(size, i).slice(0, Math.ceil(size / 2));
    const kinds: readonly TreeOptions[] = [{ moves }, { moves, root: i % size }, { moves, cores: half }];
    // each machine in one way, in the long run in all
    for (const [k, options] of kinds.entries()) {
      if (LONG || k === i % kinds.length) assertInvariant(machine, i, options);
    }
  }
});

test("the order has everybody once, the root first", () => {
  for (const root of [undefined, 2]) {
    const ones = new Float64Array(25).fill(1);
    const order = canonicalOrder({ size: 5, costs: [ones], relay: new Float64Array(5), hints: [], root });
    assert.equal(order.toSorted(), [0, 1, 2, 3, 4]);
    if (root !== undefined) assert.is(order[0], root);
  }
  const pair = [0, 9, 1, 9, 9, 0, 9, 1, 1, 9, 0, 9, 9, 1, 9, 0];
  const relay = new Float64Array(4);
  const order = canonicalOrder({ size: 4, costs: [Float64Array.from(pair)], relay, hints: [], root: undefined });
  assert.equal(order.map((pe) => pe % 2).toSorted(), [0, 0, 1, 1]);
  assert.ok(order[0] === 0 && [1, 2].includes(order.indexOf(2) - order.indexOf(0)), `${order}`);
  assert.equal(treeProblem(model([[0]], [[0]]), [0]).canonical, [0]);
});

test.run();

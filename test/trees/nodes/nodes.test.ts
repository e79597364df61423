/** Trees over many nodes: beside the same ranks as one machine, and at thousands of ranks. */

import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { generateTrees } from "../../../trees/generate/generate.ts";
import { mirror, treeProblem } from "../../../trees/model/problem.ts";
import type { Tree } from "../../../trees/model/tree.ts";
import type { Network } from "../../../trees/nodes/network.ts";
import { generateNodesTrees } from "../../../trees/nodes/nodes.ts";
import { solveExactly } from "../../../trees/search/exact.ts";
import { LONG, rounds } from "../../support/long.ts";
import {
  assertClose,
  assertSpans,
  broadcastReference,
  disseminationReference,
  hybridReference,
  loadMachine,
  model,
  randomModel,
  reduceReference,
} from "../support/reference.ts";

const test = suite("trees over nodes");

/** The same ranks as a machine of its own, every cost written out. */
function writtenOut(machine: MachineModel, nodes: number, network: Network): MachineModel {
  const pes = machine.pes.length;
  const size = nodes * pes;
  const cost = (what: "send" | "receive" | "propagate") =>
    Array.from({ length: size }, (_, i) =>
      Array.from({ length: size }, (_, j) => {
        if (i === j) return 0;
        if (Math.floor(i / pes) !== Math.floor(j / pes)) return network[what] ?? 0;
        return machine[what]?.[i % pes]?.[j % pes] ?? 0;
      }),
    );
  const relay = Array.from({ length: size }, (_, rank) => machine.relay?.[rank % pes] ?? 0);
  return model(cost("send"), cost("receive"), { propagate: cost("propagate"), relay });
}

/** Different nodes as one machine, every cost written out. */
function together(machines: readonly MachineModel[], network: Network): MachineModel {
  const places = machines.flatMap((machine) => machine.pes.map((_, pe) => ({ machine, pe })));
  const nodes = machines.flatMap((machine, node) => machine.pes.map(() => node));
  const cost = (what: "send" | "receive" | "propagate") =>
    places.map(({ machine, pe: from }, i) =>
      places.map(({ pe: to }, j) => {
        if (i === j) return 0;
        return nodes[i] === nodes[j] ? (machine[what]?.[from]?.[to] ?? 0) : (network[what] ?? 0);
      }),
    );
  const relay = places.map(({ machine, pe }) => machine.relay?.[pe] ?? 0);
  return model(cost("send"), cost("receive"), { propagate: cost("propagate"), relay });
}

const time = fc.double({ min: 0, max: 1000, noNaN: true });
const networks: fc.Arbitrary<Network> = fc.record({ send: time, propagate: time, receive: time });

test("they span all ranks, and take what they say", () => {
  fc.assert(
    fc.property(
      randomModel(6),
      fc.integer({ min: 1, max: 6 }),
      networks,
      fc.constantFrom(undefined, 0),
      (machine, nodes, network, moves) => {
        const trees = generateNodesTrees(machine, nodes, network, moves === undefined ? {} : { moves });
        const all = writtenOut(machine, nodes, network);
        const ranks = all.pes.map((_, rank) => rank);
        assertSpans(trees.broadcast, ranks, "broadcast");
        assertSpans(trees.reduce, ranks, "reduce");
        assertClose(trees.broadcast.latency, broadcastReference(trees.broadcast, all), "broadcast");
        assertClose(trees.reduce.latency, reduceReference(trees.reduce, all), "reduce");
        if (ranks.length > 9) return;
        const exact = Math.min(...solveExactly(treeProblem(all, ranks)).latency);
        assert.ok(trees.broadcast.latency >= exact * (1 - 1e-12));
        const back = Math.min(...solveExactly(mirror(treeProblem(all, ranks))).latency);
        assert.ok(trees.reduce.latency >= back * (1 - 1e-12));
      },
    ),
    { numRuns: rounds(10, 40) },
  );
});

test("the example of the file", () => {
  const one = [
    [0, 1],
    [1, 0],
  ];
  const { broadcast } = generateNodesTrees(model(one, one), 2, { send: 10, receive: 20 });
  assert.is(broadcast.latency, 32);
});

test("up to 256 ranks no slower than all ranks as one machine, nor than a published algorithm", () => {
  const cases: [name: string, nodes: number, network: Network][] = [
    ["mctop-lpdpc4", 3, { send: 300, propagate: 1000, receive: 500 }],
    ["c2c-amd-ryzen-9-5900x", 4, { send: 300, propagate: 1000, receive: 500 }],
    ["smelt-intel-xeon-e5-v2-2x10", 4, { send: 1000, propagate: 500, receive: 1000 }],
    ["smelt-intel-xeon-e5-v2-2x10", 2, { send: 5000, receive: 5000 }],
    // a network that is cheaper than the node: it pays to go out and in again
    ["smelt-intel-xeon-e5-v2-2x10", 2, { send: 10, receive: 10 }],
  ];
  for (const [i, [name, nodes, network]] of cases.entries()) {
    const machine = loadMachine(name);
    for (const root of LONG ? [undefined, 1] : [[undefined, 1][i % 2]]) {
      const options = { moves: rounds(10_000, 50_000), ...(root !== undefined && { root }) };
      const found = generateNodesTrees(machine, nodes, network, options);
      const whole = generateTrees(writtenOut(machine, nodes, network), options);
      for (const what of ["broadcast", "reduce", "barrier"] as const) {
        for (const other of [whole[what].latency, ...whole.baselines.map((one) => one[what])]) {
          assert.ok(found[what].latency <= other, `${name}, ${what}: ${found[what].latency} <= ${other}`);
        }
      }
      for (const what of ["broadcast", "reduce"] as const) {
        assert.ok(found.bound[what] >= Math.min(whole.bound[what], found[what].latency));
      }
    }
  }
});

test("beyond 256 ranks: half of what leaders alone take", () => {
  const machine = loadMachine("mctop-lpd48core");
  const network = { send: 300, propagate: 1000, receive: 500 };
  const nodes = 6;
  const { broadcast, barrier } = generateNodesTrees(machine, nodes, network, { moves: 100_000 });
  assert.is(barrier.kind, "tree");
  // the leader sends to all others, one after another
  const inner = generateTrees(machine, { moves: 100_000 }).broadcast.latency;
  const leaders = (nodes - 1) * network.send + network.propagate + network.receive + inner;
  assert.ok(broadcast.latency < leaders, `${broadcast.latency} < ${leaders}`);
});

test("4096 ranks: every rank once, half of what leaders alone take", () => {
  const machine = loadMachine("c2c-dual-amd-epyc-7702-64-core-processor");
  const { broadcast, reduce } = generateNodesTrees(machine, 32, { send: 300, propagate: 1000, receive: 500 });
  const ranks = Array.from({ length: 4096 }, (_, rank) => rank);
  assertSpans(broadcast, ranks, "broadcast");
  assertSpans(reduce, ranks, "reduce");
  // a binary tree of leaders, each sending before its own node is served: five levels of a hop and a send
  const inner = generateTrees(machine, { moves: 100_000 }).broadcast.latency;
  const leaders = 5 * (300 + 1500) + inner;
  assert.ok(broadcast.latency < leaders / 2, `${broadcast.latency} of ${leaders}`);
  // no tree is faster than the farthest of one hop and a node's own broadcast
  assert.ok(broadcast.latency > 1800 + inner * 0.9);
});

test("beyond what is searched: greedy, every rank once", () => {
  const machine = loadMachine("mctop-lpdpc4");
  const nodes = 1000;
  const tree: Tree = generateNodesTrees(machine, nodes, { send: 300, receive: 1500 }).broadcast;
  assertSpans(
    tree,
    Array.from({ length: nodes * 8 }, (_, rank) => rank),
    "greedy",
  );
  // who has it doubles at least with every hop
  assert.ok(tree.latency < Math.ceil(Math.log2(nodes)) * (1800 + 2 * 169), `${tree.latency}`);
});

test("nodes of different kinds, a root, a barrier and bounds", () => {
  fc.assert(
    fc.property(
      fc.array(randomModel(4), { minLength: 1, maxLength: 4 }),
      networks,
      fc.option(fc.nat(), { nil: undefined }),
      (machines, network, wish) => {
        const all = together(machines, network);
        const ranks = all.pes.map((_, rank) => rank);
        const root = wish === undefined ? undefined : wish % ranks.length;
        const options = { moves: 500, ...(root !== undefined && { root }) };
        const trees = generateNodesTrees(machines, machines.length, network, options);
        const { broadcast, reduce, barrier, bound } = trees;
        assert.equal(
          trees.sizes,
          machines.map(({ pes }) => pes.length),
        );
        const pair = barrier.kind === "tree" ? [barrier] : [];
        for (const tree of [broadcast, ...pair.map((one) => one.broadcast)]) {
          assertSpans(tree, ranks, "broadcast");
          assertClose(tree.latency, broadcastReference(tree, all), "broadcast");
        }
        for (const tree of [reduce, ...pair.map((one) => one.reduce)]) {
          assertSpans(tree, ranks, "reduce");
          assertClose(tree.latency, reduceReference(tree, all), "reduce");
        }
        for (const one of pair) {
          assert.equal([one.reduce.root, one.broadcast.root], [one.root, one.root]);
          assert.is(one.latency, one.reduce.latency + one.broadcast.latency);
          if (root !== undefined) assert.is(one.root, root);
        }
        if (barrier.kind === "dissemination") {
          assertClose(barrier.latency, disseminationReference(barrier.order, all), "dissemination");
        } else if (barrier.kind === "hybrid") {
          assertClose(barrier.latency, hybridReference(barrier, ranks, all), "hybrid");
        }
        if (root !== undefined) assert.equal([broadcast.root, reduce.root], [root, root]);
        if (ranks.length > 9) return;
        const problem = treeProblem(all, ranks, { root });
        const exact = Math.min(...solveExactly(problem).latency);
        const back = Math.min(...solveExactly(mirror(problem)).latency);
        assert.ok(bound.broadcast <= exact * (1 + 1e-12), `${bound.broadcast} <= ${exact}`);
        assert.ok(bound.reduce <= back * (1 + 1e-12), `${bound.reduce} <= ${back}`);
      },
    ),
    { numRuns: rounds(60, 200) },
  );
});

test("the same seed, the same trees", () => {
  const machine = loadMachine("mctop-lpdpc4");
  const network = { send: 30, receive: 150 };
  assert.equal(
    generateNodesTrees(machine, 9, network, { seed: 3, moves: 5000 }),
    generateNodesTrees(machine, 9, network, { seed: 3, moves: 5000 }),
  );
});

test("what is no number of nodes or no network is refused", () => {
  const machine = loadMachine("mctop-lpdpc4");
  const refused = (nodes: number, network: Network, message: RegExp) =>
    assert.throws(
      () => generateNodesTrees(machine, nodes, network),
      (error: unknown) => error instanceof UsageError && message.test(error.message),
      String(message),
    );
  const network = { send: 1, receive: 1 };
  refused(0, network, /^nodes: expected a whole number >= 1, got 0/);
  refused(1.5, network, /^nodes: .*got 1.5/);
  const tooMany = /^nodes: expected at most 65536 ranks on all nodes together, got \d+ on \d+ nodes\./;
  for (const nodes of [65_536 / machine.pes.length + 1, 1e9, Number.MAX_SAFE_INTEGER]) refused(nodes, network, tooMany);
  const many = Array.from({ length: 65_536 / machine.pes.length + 1 }, () => machine);
  assert.throws(() => generateNodesTrees(many, many.length, network), tooMany);
  assert.throws(
    () => generateNodesTrees([machine, machine], 3, network),
    (error: unknown) => error instanceof UsageError && /^nodes: expected 2, one for/.test(error.message),
  );
  assert.throws(
    () => generateNodesTrees(machine, 2, network, { root: 16 }),
    (error: unknown) => error instanceof UsageError && /^root: expected a rank from 0 to 15/.test(error.message),
  );
  refused(2, { ...network, send: -1 }, /^network.send: expected a number from 0 to 1e20, got -1/);
  refused(2, { ...network, propagate: Number.NaN }, /^network.propagate: .*got NaN/);
  refused(2, { send: 1 } as Network, /^network.receive: .*got undefined/);
});

test.run();

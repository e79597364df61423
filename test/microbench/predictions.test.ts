/** What the collectives of the comparison take by a model: of invented machines, and the meetings of real threads. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { predictions } from "../../microbench/collectives/predictions.ts";
import { measurePass } from "../../microbench/pairs/pass.ts";
import type { Prediction } from "../../microbench/pairs/profiled.ts";
import { PairWorkers } from "../../microbench/pairs/workers.ts";
import { combine } from "../../microbench/profile.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import { usableCpus } from "../../src/machine/topology/usable.ts";
import type { Tree, Trees } from "../../trees/model/tree.ts";

const test = suite("predictions");

const [MEET, EXCHANGE, RELAY] = [60, 90, 7];

/** Messages of 20 + 50 + 30 ns between all, but 200 more from PE 0 to PE 2 and back. */
function machine(pes: number, more: Partial<MachineModel> = {}): MachineModel {
  const matrix = (of: (from: number, to: number) => number) =>
    Array.from({ length: pes }, (_, i) => Array.from({ length: pes }, (_, j) => (i === j ? 0 : of(i, j))));
  return {
    ...{ schema: "tundish/machine@1", name: "invented", source: "a test", unit: "ns", measured: "nothing" },
    pes: Array.from({ length: pes }, (_, cpu) => ({ cpu, core: cpu, numa: 0, package: 0 })),
    send: matrix(() => 20),
    propagate: matrix((from, to) => (from + to === 2 && from !== to && from !== 1 ? 250 : 50)),
    receive: matrix(() => 30),
    relay: Array.from({ length: pes }, () => RELAY),
    ...more,
  };
}

const square = (pes: number, time: number): number[][] =>
  Array.from({ length: pes }, (_, i) => Array.from({ length: pes }, (_, j) => (i === j ? 0 : time)));

function trees(pes: number): Trees {
  // a chain
  const children = Object.fromEntries(Array.from({ length: pes - 1 }, (_, pe) => [pe, [pe + 1]]));
  const chain: Tree = { algorithm: "adaptive", root: 0, children, latency: 100 * (pes - 1) };
  const order = Array.from({ length: pes }, (_, pe) => pe);
  return {
    ...{ broadcast: chain, reduce: chain, barrier: { kind: "dissemination", order, latency: 100 } },
  } as unknown as Trees;
}

const OPERATIONS = ["barrier", "broadcast f64", "reduce f64", "allreduce f64"];
const MEASURED = OPERATIONS.map((what, i) => ({ what, ns: 11 + i }));
const NOTHING = OPERATIONS.map((what) => ({ what, ns: 0 }));

function timesOf(pes: number, more?: Partial<MachineModel>, alone = NOTHING): Record<Prediction["operation"], number> {
  const found = predictions(trees(pes), machine(pes, more), pes - 1, MEASURED, alone);
  assert.equal(
    found.map(({ measured }) => measured),
    [11, 12, 13, 14],
  );
  return Object.fromEntries(found.map(({ operation, predicted }) => [operation, predicted])) as Record<
    Prediction["operation"],
    number
  >;
}

test("two PEs: a message one way; a barrier is a meeting, an allreduce an exchange", () => {
  const met = { meet: square(2, MEET), exchange: square(2, EXCHANGE) };
  assert.equal(timesOf(2, met), { barrier: MEET, broadcast: 100, reduce: 100, allreduce: EXCHANGE });
  // models from before they were measured
  assert.equal(timesOf(2), { barrier: 100, broadcast: 100, reduce: 100, allreduce: 100 });
});

test("the calls themselves are in all of them", () => {
  const calls = OPERATIONS.map((what, i) => ({ what, ns: i + 1 }));
  assert.equal(timesOf(2, {}, calls), { barrier: 101, broadcast: 102, reduce: 103, allreduce: 104 });
});

test("a chain of four: each PE between has its relay; rounds follow each other", () => {
  const met = { meet: square(4, MEET), exchange: square(4, EXCHANGE) };
  const { barrier, broadcast, reduce, allreduce } = timesOf(4, met);
  assert.equal([broadcast, reduce], [300 + 2 * RELAY, 300 + 2 * RELAY]);
  assert.equal([barrier, allreduce], [2 * MEET + RELAY, 2 * EXCHANGE + RELAY]);
  // the slow pair is in no tree, and in the second round of an exchange
  assert.is(timesOf(4).allreduce, 100 + RELAY + 300);
});

test("three PEs: the third one's value goes to the first, and the result back", () => {
  const { allreduce } = timesOf(3, { exchange: square(3, EXCHANGE) });
  assert.is(allreduce, 300 + RELAY + EXCHANGE + RELAY + 300);
});

test("a pass measures meetings and exchanges of each pair, both ways alike", async () => {
  const usable = usableCpus(await readTopology()).map(({ cpu }) => cpu);
  await using pairWorkers = await PairWorkers.start([0, 1].map((pe) => usable[pe % usable.length]));
  for (const channel of ["ump", "fastforward"] as const) {
    const { meet, exchange } = combine([
      await measurePass(pairWorkers, 2, { channel, rounds: 2, messages: 200, blocks: 1 }),
    ]);
    for (const matrix of [meet, exchange] as number[][][]) {
      assert.ok(matrix[0][1] > 0 && matrix[0][1] < 1e9, `${matrix[0][1]} ns`);
      assert.is(matrix[0][1], matrix[1][0]);
      assert.is(matrix[0][0], 0);
    }
  }
});

test.run();

/** Predictions: the rounds of a simple conveyor, against throwing items into bins; what buffers take on a measured machine. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { timeOf } from "../../../packages/tundish-bench/src/plan/plan-run.ts";
import { randomNumbers } from "../../../src/ground/base/random.ts";
import type { BufferTimes, MachineModel } from "../../../src/machine/model/machine-model.ts";
import { selectPEs } from "../../../src/machine/model/select.ts";
import { planConveyor } from "../../../src/plan/conveyor/plan.ts";
import type { Candidate, CostModel } from "../../../src/plan/model/cost-model.ts";
import { FIT } from "../../../src/plan/model/fit.ts";
import { costModelOf } from "../../../src/plan/model/machine.ts";
import { type Prediction, predict } from "../../../src/plan/model/predict.ts";
import { shapeCosts } from "../../../src/plan/model/shape.ts";
import { NO_TRAFFIC } from "../../../src/plan/model/traffic.ts";
import { settle } from "../../../src/running/simulate/options.ts";

const predictions = suite("predictions");

const PES = 16;
const model: CostModel = {
  pes: PES,
  nodes: 1,
  nodeOf: new Int32Array(PES),
  nodeSize: PES,
  send: null,
  receive: null,
  levels: [],
  network: { alpha: 0, beta: 0, receiver: 0, pieces: [], barrier: null, congestion: null },
  costs: { push: 1, pull: 1, advance: 1, byte: 0 },
};
const ITEM_BYTES = 8;
const [send, receive] = [70, 30];
/** Up and down a tree of 16 PEs, two messages of 50 ns at each step. */
const VOTE = 2 * 4 * 2 * 50;

/** Items of a PE for each of its links between two exchanges, as the prediction has it. */
function itemsOfRound(capacity: number): number {
  const candidate: Candidate = {
    type: "simple",
    hops: 1,
    groupSize: 1,
    bufferBytes: capacity * ITEM_BYTES,
    buffersPerLink: 1,
  };
  const hops = [{ links: PES, entries: PES, send, receive, remote: 0, away: 0, worst: 1, traffic: NO_TRAFFIC }];
  const waiting = (items: number): number => {
    const { time, work } = predict(model, { itemBytes: ITEM_BYTES, load: items * PES }, candidate, hops);
    return time - FIT.even * work;
  };
  // what there is beside the rounds falls out
  const rounds = (waiting(2000) - waiting(1000)) / (FIT.rounds * VOTE + send + receive);
  return 1000 / rounds;
}

/** The same, tried out: items for any of the links of all PEs, until the first of them is full. */
function triedOut(capacity: number): number {
  const random = randomNumbers(7);
  const links = PES * PES;
  const trials = 200;
  let thrown = 0;
  for (let trial = 0; trial < trials; trial++) {
    const items = new Uint32Array(links);
    let most = 0;
    for (; most < capacity; thrown++) most = Math.max(most, ++items[Math.floor(random() * links)]);
  }
  return thrown / trials / links;
}

for (const [capacity, error] of [
  [8, 0.1],
  [40, 0.04],
] as const) {
  predictions(`rounds of a simple conveyor, buffers of ${capacity} items`, () => {
    const [predicted, found] = [itemsOfRound(capacity), triedOut(capacity)];
    assert.ok(Math.abs(predicted / found - 1) < error, `${predicted} items for a link in a round, not ${found}`);
  });
}

const machineOf = (cpus: readonly number[], buffer: BufferTimes) => ({
  ...({ schema: "tundish/machine@1", name: "m", source: "test", unit: "ns", measured: "" } as const),
  pes: cpus.map((cpu) => ({ cpu, core: cpu, numa: 0, package: 0 })),
  send: cpus.map((_, i) => cpus.map((_, j) => (i === j ? 0 : 20))),
  receive: cpus.map((_, i) => cpus.map((_, j) => (i === j ? 0 : 20))),
  items: { push: 3, pivot: 6, pull: 3, byte: { push: 0, pivot: 0, pull: 0 }, buffer },
});
const buffer = { handle: 1000, wait: 3000, shared: 5000 };
/** Time of a session on a machine, one hop. */
function timeOn(machine: MachineModel, load: number, bufferBytes: number, buffersPerLink: 1 | 2 | 4): number {
  const costs = costModelOf(machine, { itemBytes: 8 });
  const candidate = { type: "tensor", hops: 1, groupSize: costs.pes, bufferBytes, buffersPerLink } as const;
  return predict(costs, { itemBytes: 8, load }, candidate, shapeCosts(costs)(candidate)).time;
}

predictions("measured buffers: each takes its time, and so larger ones are chosen", () => {
  const machine = machineOf([0, 1], buffer);
  const buffers = 30_000 / 512 - 30_000 / 8192;
  const more = timeOn(machine, 30_000, 4096, 4) - timeOn(machine, 30_000, 65_536, 4);
  assert.ok(more > 0.9 * 1000 * buffers && more < 1.3 * 1000 * buffers, `${more} for ${buffers} buffers`);
  const planned = (handle: number) =>
    planConveyor(costModelOf(machineOf([0, 1], { ...buffer, handle }), { itemBytes: 8 }), {
      ...{ itemBytes: 8, load: 30_000 },
    })?.options.bufferBytes;
  assert.is(planned(1000), 65_536);
  assert.ok((planned(10) ?? 0) < 65_536);
});

predictions("PEs that share a CPU take turns", () => {
  const times = [
    [0, 1, 2, 3],
    [0, 1, 0, 1],
  ].map((cpus) => timeOn(machineOf(cpus, buffer), 3000, 65_536, 4));
  const [apart, sharing] = times as [number, number];
  assert.ok(sharing > 1.8 * apart && sharing < 2.2 * apart, String(times));
});

predictions("where only a few buffers differ, the items that all choices have do not hide it", () => {
  // one by one an item takes 26 ns, and four buffers less are under 1 % of all
  const machine = machineOf([0, 1], buffer);
  const slow = { ...machine, items: { push: 13, pivot: 20, pull: 13, byte: machine.items.byte, buffer } };
  const plan = planConveyor(costModelOf(slow, { itemBytes: 8 }), { itemBytes: 8, load: 30_000 });
  assert.is(plan?.options.bufferBytes, 65_536);
});

predictions("PEs that share a CPU pay for another hop, as its last buffers are awaited", () => {
  const plan = planConveyor(costModelOf(machineOf([0, 1, 0, 1, 0, 1, 0, 1], buffer), { itemBytes: 8 }), {
    ...{ itemBytes: 8, load: 100 },
  });
  assert.is(plan?.options.hops, 1);
});

predictions("the only buffer of a link may be on its way since the last session", () => {
  const machine = machineOf([0, 1], buffer);
  const [lone, two] = [timeOn(machine, 100, 4096, 1), timeOn(machine, 100, 4096, 2)];
  assert.ok(lone - two > 1000 && lone - two < 3000, `${lone} ${two}`);
  // selected PEs, as those of a world, keep what was measured
  assert.equal(selectPEs(machine, [0]).items?.buffer, buffer);
  assert.equal(selectPEs({ ...machine, relay: [3, 4] }, [1, 1, 0]).relay, [4, 4, 3]);
});

/** 64 PEs in one to six dimensions. */
const MESHES = [[64], [8, 8], [4, 4, 4], [2, 4, 2, 4], [2, 2, 4, 2, 2], [2, 2, 2, 2, 2, 2]];

predictions("meshes of one to six dimensions: links, buffers of each hop, and the time of the simulator", () => {
  const itemBytes = 16;
  for (const [nodes, load, bufferBytes] of [
    [1, 200, 256],
    [1, 2000, 2048],
    [8, 200, 256],
    [8, 2000, 2048],
  ] as const) {
    // with one hop over nodes the network is busier than is predicted
    for (const mesh of nodes === 1 ? MESHES : MESHES.slice(1)) {
      const what = `${mesh.join(" x ")} on ${nodes} nodes, ${load} items, ${bufferBytes} B`;
      const options = { pes: 64, nodes };
      const planned = planConveyor(settle(options), { itemBytes, load }, { mesh, bufferBytes, buffersPerLink: 2 });
      const expected = planned?.expected as Prediction;
      const links = mesh.map((size) => size - 1).reverse();
      // one to the PE itself
      links.push((links.pop() as number) + 1);
      assert.equal(
        expected.hopsTaken.map((hop) => hop.links),
        links,
      );
      const time = timeOf({ name: what, options, itemBytes, load, maxBytes: undefined }, expected);
      assert.ok(Math.abs(expected.time / time - 1) < 0.35, `${what}: ${expected.time}, simulated ${time}`);
    }
  }
});

predictions(
  "hops that end by a vote, or before others over the network, wait until their buffers are given back",
  () => {
    const few = { pes: 32, nodes: 16 };
    const model = settle(few);
    const costs = shapeCosts(model);
    const buffers = { type: "tensor", bufferBytes: 1024, buffersPerLink: 2 } as const;
    for (const way of [
      { hops: 2, groupSize: 2 },
      { hops: 2, groupSize: 4 },
      { hops: 3, groupSize: 2 },
      { hops: 3, groupSize: 8, mesh: [2, 4, 4] },
      { hops: 2, groupSize: 2, mesh: [2, 16] },
    ]) {
      const choice: Candidate = { ...buffers, ...way };
      const { time } = predict(model, { itemBytes: 16, load: 100 }, choice, costs(choice));
      const simulated = timeOf({ name: "", options: few, itemBytes: 16, load: 100, maxBytes: undefined }, choice);
      assert.ok(Math.abs(time / simulated - 1) < 0.15, `${JSON.stringify(way)}: ${time}, ${simulated}`);
    }
  },
);

predictions.run();

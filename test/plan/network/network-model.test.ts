/** What plans know of a network: its servers, against the simulator's; and what the nodes of a world have measured. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { u32 } from "../../../src/ground/item/item-type.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { type NodeCosts, nodeCosts, UNKNOWN_COSTS } from "../../../src/machine/model/node-costs.ts";
import { makePlan, type PlanWorkload } from "../../../src/plan/conveyor/make-plan.ts";
import { planConveyor } from "../../../src/plan/conveyor/plan.ts";
import { costModelOf } from "../../../src/plan/model/machine.ts";
import { costModelOver } from "../../../src/plan/model/over-nodes.ts";
import { latencyOf, serversFor, slowest } from "../../../src/plan/model/servers.ts";
import { shapeCosts } from "../../../src/plan/model/shape.ts";
import type { SimulatedNetwork } from "../../../src/plan/network/network.ts";
import { settle } from "../../../src/running/simulate/options.ts";
import { simulate } from "../../../src/running/simulate/simulate.ts";
import { syntheticMachine } from "../../collectives/support/plans.ts";

const test = suite("plans and the network");

const PES = 16;
const LOAD = 3200;
const BYTES = 1024;

/** What the simulator's busiest servers do when each PE sends the same number of items to any, and votes take no part in it. */
function busyOf(network: SimulatedNetwork, nodes: number) {
  const { network: use } = simulate({ pes: PES, nodes, network: { ...network, barrier: 0 } }, function* (pe) {
    const c = pe.conveyor(u32, { hops: 1, bufferBytes: BYTES });
    yield* c.begin();
    for (let i = 0; yield* c.advance(i === LOAD); ) {
      for (; i < LOAD && c.push(i % PES, i); i++);
      while (c.pull());
    }
    yield* c.reset();
  });
  return use as NonNullable<typeof use>;
}

const NETWORKS: Readonly<Record<string, SimulatedNetwork>> = {
  rates: { injection: { message: 70, byte: 0.5 }, ejection: { message: 40, byte: 0.8 }, packetBytes: 256 },
  processor: { injection: { byte: 0.5 }, ejection: { byte: 0.8 }, processor: true, control: true },
  bisection: { bisection: 2 },
  mesh: { topology: { kind: "mesh", byte: 1 } },
  full: { topology: { kind: "full", byte: 1 } },
  tree: { topology: { kind: "fat-tree", levels: [{ children: 2, byte: 1 }, { byte: 3 }] } },
};
for (const [name, network] of Object.entries(NETWORKS)) {
  test(`servers are busy for as long as in the simulator: ${name}`, () => {
    const nodes = 8;
    const model = settle({ pes: PES, nodes, network });
    const [hop] = shapeCosts(model)({ hops: 1, groupSize: PES });
    assert.ok(hop !== undefined);
    // each link carries 200 items of 4 bytes, in one buffer, which is given back
    const servers = serversFor(model.network, hop.traffic, 1, (4 * LOAD) / PES, 1);
    const use = busyOf(network, nodes);
    for (const [expected, found] of [
      [servers.injection, use.injection],
      [servers.ejection, use.ejection],
      [servers.bisection, use.bisection],
      [servers.links, use.link],
    ] as const) {
      assert.ok(Math.abs(found - expected) <= 0.02 * expected, `${found} instead of ${expected}`);
    }
    assert.ok(slowest(servers).time > 0);
  });
}

test("a message alone takes as long as in the simulator", () => {
  const network = {
    alpha: 1000,
    beta: 0.2,
    injection: { message: 30, byte: 0.5 },
    ejection: { message: 50, byte: 1 },
  };
  const topology = { kind: "fat-tree", levels: [{ children: 1, byte: 4 }, { byte: 9 }] } as const;
  for (const more of [{}, { packetBytes: 100 }, { packetBytes: 20, topology }, { bisection: 30 }]) {
    const options = { pes: 2, nodes: 2, network: { ...network, ...more } };
    const { results } = simulate(options, function* (pe) {
      let came = 0;
      const port = pe.activeMessages(() => {
        came = pe.now;
      });
      yield* pe.turn();
      if (pe.rank === 0) port.send(1, [1, 2, 3, 4, 5, 6, 7, 8]);
      while (pe.rank === 1 && came === 0) yield* pe.turn();
      return came;
    });
    const expected = latencyOf(settle(options).network, 72);
    const took = results[1] as number;
    // and the turns before it, and until its receiver looks
    assert.ok(took >= expected && took < expected + 400, `${took} instead of ${expected}`);
  }
});

test("many links: what is not counted one by one is what is counted, for uniform traffic", () => {
  for (const topology of [NETWORKS.mesh, NETWORKS.full, NETWORKS.tree]) {
    const nodes = 16;
    const traffic = (nodeSize: number) => {
      const model = settle({ pes: nodes * nodeSize, nodes, network: topology ?? {} });
      const [hop] = shapeCosts(model)({ hops: 1, groupSize: nodes * nodeSize });
      return hop?.traffic as NonNullable<typeof hop>["traffic"];
    };
    const [few, many] = [traffic(4), traffic(32)];
    for (const name of ["out", "into", "cut", "link"] as const) {
      assert.ok(Math.abs(many[name] / few[name] / 64 - 1) < 1e-9, `${name}: ${many[name]}, ${few[name]}`);
    }
  }
});

test("costs that varied too much are not planned with: as without them, and that is told", () => {
  const internode = { alpha: 90_000, beta: 7 };
  const machine: MachineModel = { ...syntheticMachine(2), internode };
  const noisy: MachineModel = {
    ...machine,
    internode: { ...internode, noisy: ["a figure, whose times spread by 97 %"] },
  };
  const workload = { nodes: 4, pes: 8, itemBytes: 8, load: 1000 };
  const [planned, without, unmeasured] = [machine, noisy, syntheticMachine(2)].map((one) => makePlan(one, workload));
  assert.equal(without?.options, unmeasured?.options);
  assert.equal(without?.expected, unmeasured?.expected);
  assert.not.equal(without?.expected, planned?.expected);
  const text = without?.explain() ?? "";
  assert.match(text, /not planned with what was measured \(a figure, whose times spread by 97 %\)/);
  assert.not.match(text, /90/);
  assert.throws(
    () => makePlan(noisy, { ...workload, network: "measured" }),
    /expected a machine model with internode for "measured"/,
  );
  // nor by worlds
  assert.is(nodeCosts(noisy, "m.json").internode, null);
  assert.is(nodeCosts(machine, "m.json").internode?.alpha, 90_000);
});

/** A node that has measured so much. */
const measured = (alpha: number, beta: number, source: string): NodeCosts => ({
  ...UNKNOWN_COSTS,
  source,
  internode: {
    ...{ alpha, beta },
    pes: [1, 2].map((pes) => ({
      pes,
      gap: { message: 500 * pes, byte: beta * pes, residual: { median: 0, worst: 0 } },
    })),
    receiver: { fixed: 0, sender: 700, residual: { median: 0, worst: 0 } },
  },
});
/** A world of three nodes with 4, 2 and 2 PEs. */
const sizes = [4, 2, 2];
const nodeOf = Int32Array.from([0, 0, 0, 0, 1, 1, 2, 2]);
const world = (costs: readonly NodeCosts[], areMapped = false) =>
  costModelOver({ nodeOf, sizes, areMapped, levels: [nodeOf], costs }, 8);
const planned = (costs: readonly NodeCosts[], areMapped = false) => {
  const plan = planConveyor(world(costs, areMapped), { itemBytes: 8, load: 1000 });
  assert.ok(plan !== null);
  return plan;
};

test("the slowest of all nodes counts, whichever it is, and is cited with where it is from", () => {
  const [fast, slow] = [measured(5000, 0.1, "fast.json"), measured(60_000, 80, "slow.json")];
  const orders = [
    [slow, fast, fast],
    [fast, fast, slow],
  ];
  for (const costs of orders) {
    const { network } = world(costs);
    assert.is(network.receiver, 700);
    assert.equal(network.congestion?.injection, { message: 500, byte: 80 });
    // of a message alone: what the parts take is not counted twice
    assert.is(network.alpha, 60_000 - 500 - 700 - 100);
  }
  const text = planned([slow, fast, fast]).explain();
  assert.match(
    text,
    "between nodes, measured, a message of m bytes takes alpha + beta m = 60 us + 80.0 ns x m; a node sends one every 500 ns + 80.0 ns x m (2 PEs); incast: a receiver takes 700 ns for each: slow.json at node 0",
  );
  assert.match(text, "= 5 us + 0.100 ns x m");
  assert.match(text, "fast.json at node 1, 2");
  assert.ok(planned([slow, slow, slow]).expected.time > planned([fast, fast, fast]).expected.time);
});

test("a network that is given counts instead of what the nodes have measured; also beside that", () => {
  const costs = [measured(60_000, 80, "a.json"), measured(5000, 1, "b.json"), measured(5000, 1, "b.json")];
  const over = (given: SimulatedNetwork) =>
    costModelOver({ nodeOf, sizes, areMapped: false, levels: [nodeOf], costs }, 8, given);
  const own = world(costs);
  const given = over({ alpha: 7000 });
  assert.equal([given.network.alpha, given.network.beta, given.countsLastReturns], [7000, 0.1, false]);
  assert.match(given.measured?.join("\n") ?? "", /^between nodes, given, .* 7 us .*: alpha as given, the rest by/);
  const like = over({ like: "measured", beta: 3 });
  assert.equal([like.network.alpha, like.network.beta], [own.network.alpha, 3]);
  assert.is(like.countsLastReturns, true);
  assert.equal(like.measured, [...(own.measured ?? []), "of these as given: beta"]);
  assert.equal(over({ like: "measured" }), own);
});

test("messages that give the last buffers back count between real nodes: more of the messages, sooner more hops", () => {
  // two nodes of 8 PEs, measured over a link of 10 Mbit/s: 80 us for a message, 758 ns for a byte
  const pes = 8;
  const gap = { message: 80_000 * pes, byte: 758 * pes, residual: { median: 0, worst: 0 } };
  const cost: NodeCosts = {
    ...UNKNOWN_COSTS,
    internode: { alpha: 36_000, beta: 460, pes: [{ pes, gap }] },
  };
  const ranks = Int32Array.from({ length: 2 * pes }, (_, rank) => Math.floor(rank / pes));
  const layout = { nodeOf: ranks, sizes: [pes, pes], areMapped: false, levels: [ranks], costs: [cost, cost] };
  const model = costModelOver(layout, 1);
  const hopsFor = (load: number) => planConveyor(model, { itemBytes: 1, load })?.options.hops;
  // what passed such a link in a session, counted by tc: 3000 items 27.8 and 27.7 KB, 8000 items 49 and 72 KB by one and two hops
  assert.equal(
    [2000, 8000].map((load) => hopsFor(load)),
    [2, 1],
  );
  // of a hop that ends by last messages, nobody waits for them in the simulator
  const networkOf = (of: typeof model) =>
    planConveyor(of, { itemBytes: 1, load: 100 }, { hops: 2, groupSize: pes, type: "tensor" })?.expected.network ?? 0;
  assert.ok(networkOf({ ...model, countsLastReturns: false }) < 0.8 * networkOf(model));
  // a message and what gives its buffer back: 64 of each by one hop
  const one = planConveyor(model, { itemBytes: 1, load: 3000 }, { hops: 1, type: "tensor" });
  const bytes = 8 * 1500;
  const expected = 64 * (2 * 80_000 + 8 * 758) + bytes * 758;
  assert.ok(
    Math.abs((one?.expected.network ?? 0) / expected - 1) < 0.02,
    `${one?.expected.network} instead of ${expected}`,
  );
});

test("nodes of different sizes are planned with their own numbers of PEs", () => {
  const model = world([UNKNOWN_COSTS, UNKNOWN_COSTS, UNKNOWN_COSTS]);
  assert.equal([model.pes, model.nodes, model.nodeSize], [8, 3, 4]);
  const [hop] = shapeCosts(model)({ hops: 1, groupSize: 8 });
  // 4 PEs with 4 others each; 2 with 6
  assert.equal([hop?.traffic.out, hop?.traffic.into, hop?.away], [16, 16, 6]);
  assert.match(
    planned([UNKNOWN_COSTS, UNKNOWN_COSTS, UNKNOWN_COSTS]).explain(),
    /between nodes, not measured: .*profile under mpirun/,
  );
});

test("nodes of one machine send through memory", () => {
  const costs = [0, 1, 2].map(() => measured(60_000, 80, "tcp.json"));
  const [byMemory, byMpi] = [planned(costs, true), planned(costs)];
  assert.match(byMemory.explain(), "between nodes: through memory");
  assert.ok(byMemory.expected.time < byMpi.expected.time / 10);
});

test("PEs that share a CPU take turns: a world over nodes and makePlan count the same for an item and a buffer", () => {
  const [one, other] = [syntheticMachine(2), syntheticMachine(4)];
  const sharing = { ...other, pes: other.pes.map((pe, i) => ({ ...pe, cpu: i >> 1 })) };
  const costsOver = (machines: readonly MachineModel[]) => {
    const costs = machines.map((machine) => nodeCosts(machine, "a.json"));
    const sizes = machines.map(({ pes }) => pes.length);
    const ranks = Int32Array.from(machines.flatMap(({ pes }, node) => pes.map(() => node)));
    return costModelOver({ nodeOf: ranks, sizes, areMapped: false, levels: [ranks], costs }, 8).costs;
  };
  const planned = (machine: MachineModel) =>
    costModelOf(machine, { itemBytes: 8, nodes: 2, pes: 2 * machine.pes.length }).costs;
  assert.equal(costsOver([other, other]), planned(other));
  assert.equal(costsOver([sharing, sharing]), planned(sharing));
  assert.is(planned(sharing).push, 2 * planned(other).push);
  // the slowest node counts
  assert.equal(costsOver([one, sharing]), planned(sharing));
});

test("makePlan goes by what its model has measured, unless something else is given", () => {
  const { internode } = measured(60_000, 80, "");
  const machine = { ...syntheticMachine(4), internode } as MachineModel;
  const workload = { pes: 8, nodes: 2, itemBytes: 8, load: 1000 };
  const [own, given] = [makePlan(machine, workload), makePlan(machine, { ...workload, network: "cm-5" })];
  assert.match(own.explain(), "60 us + 80.0 ns x m");
  assert.match(
    given.explain(),
    /between nodes, given, a message of m bytes takes .*: cm-5 \(Thinking Machines CM-5\)$/m,
  );
  assert.ok(own.expected.time > makePlan(syntheticMachine(4), workload).expected.time);
  const costs = nodeCosts(machine, "a.json");
  assert.equal([costs.source, costs.internode?.alpha, costs.items], ["a.json", 60_000, machine.items ?? null]);
});

test("a network that is given is cited with its numbers, and with which of them were given", () => {
  const { internode } = measured(60_000, 80, "");
  const machine = { ...syntheticMachine(4), internode } as MachineModel;
  const cited = (network: PlanWorkload["network"], of?: MachineModel) => {
    const text = makePlan(of, { pes: 8, nodes: 2, itemBytes: 8, load: 1000, network }).explain();
    return text.match(/between nodes, (.*)$/m)?.[1];
  };
  const line = "given, a message of m bytes takes alpha + beta m";
  assert.is(
    cited({ alpha: 5000 }),
    `${line} = 5 us + 0.100 ns x m; its receiver 300 ns: alpha as given, the rest by default`,
  );
  assert.is(
    cited({
      ...{ beta: 2, packetBytes: 512, queue: 4, interleaved: true, bisection: 3 },
      ...{ injection: { byte: 4 }, ejection: { message: 50 }, topology: { kind: "mesh", byte: 1 } },
    }),
    `${line} = 1.5 us + 2.00 ns x m; a node sends a packet, of up to 512 B, every 0 ns + 4.00 ns x m; ` +
      "a node receives a packet, of up to 512 B, every 50 ns + 0 ns x m; those for different nodes take turns; " +
      "at most 4 underway to a node; 3.00 ns x m across the middle; links of a mesh, 1.00 ns x m each: " +
      "beta, packetBytes, queue, interleaved, bisection, injection, ejection, topology as given, the rest by default",
  );
  const changed = cited({ like: "measured", alpha: 7000 }, machine);
  assert.match(changed ?? "", `${line} = 7 us + `);
  assert.match(
    changed ?? "",
    /a node sends a message every 500 ns \+ 80\.0 ns x m; .*: measured in synthetic 4, but alpha as given$/,
  );
  assert.match(cited({ like: "cm-5", beta: 1 }) ?? "", /: cm-5 \(Thinking Machines CM-5\), but beta as given$/);
  for (const nothing of [undefined, {}]) assert.match(cited(nothing) ?? "", /^not measured: .* 1\.5 us/);
});

test("plans of virtual PEs cite the network of the simulation", () => {
  const { results } = simulate({ pes: 4, nodes: 2, network: { alpha: 5000 } }, function* (pe) {
    yield* pe.turn();
    return pe.conveyor(u32, { load: 100 }).explain();
  });
  for (const text of results) assert.match(String(text), "= 5 us + 0.100 ns x m; its receiver 300 ns: alpha as given");
});

test.run();

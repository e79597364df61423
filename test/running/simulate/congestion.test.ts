/** Conveyors over a network that can be congested; networks by name and as measured; and runs without one. */
import { createHash } from "node:crypto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { u32 } from "../../../src/ground/item/item-type.ts";
import { DONE } from "../../../src/links/status/state.ts";
import type { Internode } from "../../../src/machine/model/internode.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import type { NetworkName, SimulatedNetwork } from "../../../src/plan/network/network.ts";
import { networks } from "../../../src/plan/network/networks.ts";
import type { ConveyorOptions } from "../../../src/route/geometry/options.ts";
import type { SimulationOptions } from "../../../src/running/simulate/options.ts";
import { type SimulatedPE, type SimulationResult, simulate } from "../../../src/running/simulate/simulate.ts";
import { near } from "./support/traffic.ts";

/** Every PE sends to PEs at random; gives when and from whom items came. */
function* mingle(pe: SimulatedPE, options: ConveyorOptions = {}): Generator<void, string, void> {
  const c = pe.conveyor(u32, { bufferBytes: 64, ...options });
  const log: string[] = [];
  yield* c.begin();
  for (let i = 0; (yield* c.advance(i === 100)) !== DONE; ) {
    for (; i < 100 && c.push(Math.floor(pe.random() * pe.size), i); i++);
    while (c.pull()) log.push(`${pe.now}: ${c.item} from ${c.from}`);
  }
  yield* c.reset();
  c.free();
  return log.join("\n");
}

/** Every PE sends `count` numbers to each PE that `to` admits; they must come once, and in order. */
function stream(
  options: SimulationOptions,
  count: number,
  more: ConveyorOptions = {},
  to: (rank: number) => boolean = () => true,
): SimulationResult<number> {
  return simulate(options, function* (pe) {
    const c = pe.conveyor(u32, more);
    const next = new Uint32Array(pe.size);
    // beginning with the next PE, as all to all does
    const friends = Array.from({ length: pe.size }, (_, i) => (pe.rank + 1 + i) % pe.size).filter(to);
    yield* c.begin();
    let i = 0;
    const all = count * friends.length;
    while ((yield* c.advance(i === all)) !== DONE) {
      for (; i < all; i++) if (!c.push(friends[i % friends.length], Math.floor(i / friends.length))) break;
      while (c.pull()) assert.is(c.item, next[c.from]++);
    }
    yield* c.reset();
    assert.ok(next.every((got) => got === (to(pe.rank) ? count : 0)));
    return next.length;
  });
}

const congestion = suite("congestion");

congestion("without any part of it, runs are what they were before there was one", () => {
  const runs: Partial<SimulationOptions>[] = [
    {},
    { jitter: 3, nodes: 2 },
    { nodes: 4, network: { alpha: 900, beta: 0.5, receiver: 40 }, jitter: 0.5 },
    { nodes: 2, jitter: 1, faults: [{ pe: 3, at: 500, kind: "stall" }] },
  ];
  const choices: ConveyorOptions[] = [{}, { hops: 2, steady: true }, { hops: 3 }, { type: "simple" }];
  const digests = runs.map((options) =>
    choices.map((more) => {
      const result = simulate({ pes: 8, seed: 5, ...options }, (pe) => mingle(pe, more));
      return createHash("sha256").update(JSON.stringify(result)).digest("hex").slice(0, 16);
    }),
  );
  assert.equal(digests, [
    ["de799b60d0849d21", "1ce02330ed909463", "7583852ba0bc01a9", "0eaab6c6068b8d1c"],
    ["9137840922dac36e", "1a1446e1dd2cf5a3", "5648814a6975b916", "13855f1f96bc0900"],
    ["9c2b43af6040b67d", "384871e6d8495666", "62ec0b3d4981ad09", "f0d9a50097b908f7"],
    ["c127de636d839aff", "0a70bacce7e48f84", "c703d4d4b43f8188", "9b85eb3f20bf39fb"],
  ]);
});

congestion("conveyors of every kind lose nothing, keep their order, and repeat", () => {
  const parts: SimulatedNetwork[] = [
    { injection: { byte: 1, message: 100 } },
    { ejection: { byte: 5 }, queue: 1 },
    { queue: 3, packetBytes: 48, interleaved: true },
    { bisection: 2, topology: { kind: "fat-tree", levels: [{ children: 2, byte: 1 }, { byte: 1 }] } },
    { injection: { byte: 1 }, ejection: { byte: 2 }, queue: 2, topology: { kind: "mesh", byte: 2 } },
  ];
  const choices: ConveyorOptions[] = [{}, { type: "simple" }, { hops: 2 }, { hops: 3, steady: true }];
  for (const [i, network] of parts.entries()) {
    for (const more of choices) {
      const options = { pes: 8, nodes: 4, network, seed: i + 1, jitter: i % 3 };
      const run = () => stream(options, 60, { bufferBytes: 128, ...more });
      const first = run();
      assert.equal(run(), first);
      assert.ok(first.network !== undefined && first.network.messages > 0);
    }
  }
});

congestion("all to all by a conveyor takes as long as injection, ejection, or the bisection needs", () => {
  const nodes = 16;
  const play = (network: SimulatedNetwork) => {
    const free = { alpha: 500, beta: 0, receiver: 0 };
    const { time, network: use } = stream(
      { pes: nodes, nodes, network: { ...free, ...network }, costs: { push: 0, pull: 0 } },
      4000,
      { bufferBytes: 4096, buffersPerLink: 2 },
      () => true,
    );
    assert.ok(use);
    return { time, use };
  };
  const sent = play({ injection: { byte: 20 } });
  near(sent.time, (sent.use.bytes / nodes) * 20);
  near(sent.use.injection, sent.time);
  const taken = play({ ejection: { byte: 20 } });
  near(taken.time, (taken.use.bytes / nodes) * 20);
  const cut = play({ bisection: 5 });
  // of the 15 others, 8 are in the other half
  near(cut.time, (((cut.use.bytes / 2) * 8) / 15) * 5);
});

congestion("63 to 1 by a conveyor: the receiver's rate", () => {
  const network = { alpha: 1000, beta: 0, receiver: 0, ejection: { byte: 10 }, queue: 32 };
  const { time, network: use } = stream(
    { pes: 64, nodes: 64, network },
    2000,
    { bufferBytes: 1024, type: "simple" },
    (rank) => rank === 0,
  );
  near(time, 63 * 2000 * 4 * 10);
  assert.ok(use !== undefined && use.peakEjection <= 32);
});

congestion("a receiver that stalls: what waits is bounded, and all of it arrives when it goes on", () => {
  const stall = [{ pe: 3, at: 20_000, kind: "stall", lasting: 5e6 }] as const;
  const network = { injection: { byte: 1 }, ejection: { byte: 2 }, queue: 4 };
  for (const more of [{}, { packetBytes: 256 }, { packetBytes: 256, interleaved: true }]) {
    const run = (faults: SimulationOptions["faults"]) =>
      stream({ pes: 16, nodes: 16, network: { ...network, ...more }, faults }, 500, { bufferBytes: 256 });
    const stopped = run(stall);
    const usual = run([]);
    assert.ok(stopped.time > 5e6 && usual.time < 3e6);
    assert.ok((stopped.network?.peakEjection ?? 99) <= 4);
    // as many buffers as there are for the links, with or without a stall
    assert.ok(stopped.peakBytes <= 1.5 * usual.peakBytes);
    assert.ok((stopped.network?.blocked ?? 0) > 4e6);
  }
});

congestion("a stalled PE delays what others have for others, unless interleaved", () => {
  const lasting = 3e6;
  /** When the PEs that do not stall have what they sent to each other. */
  const others = (more: SimulatedNetwork) => {
    const network = { injection: { byte: 1 }, ejection: { byte: 1 }, queue: 1, packetBytes: 4096, ...more };
    let latest = 0;
    simulate({ pes: 4, nodes: 4, network, faults: [{ pe: 3, at: 0, kind: "stall", lasting }] }, function* (pe) {
      const port = pe.activeMessages((from) => {
        if (pe.rank !== 3 && from !== 3) latest = Math.max(latest, pe.now);
      });
      // two to the one that stalls, then to the others
      if (pe.rank !== 3) for (const to of [3, 3, 0, 1, 2]) if (to !== pe.rank) port.send(to, [to]);
      for (let i = 0; i < 10; i++) {
        pe.work(1e6);
        yield* pe.turn();
      }
    });
    return latest;
  };
  assert.ok(others({}) > lasting);
  assert.ok(others({ interleaved: true }) < 20_000);
  assert.ok(others({ queue: undefined }) < 20_000);
});

congestion("the networks by name can be used, and each of their numbers has a source", () => {
  for (const [name, { network, sources, nodes }] of Object.entries(networks)) {
    for (const part of Object.keys(network)) {
      assert.ok(sources[part], `${name}: ${part}`);
      assert.not.match(sources[part], /default|: off$/, `${name}: ${part}`);
    }
    for (const part of ["alpha", "beta", "injection", "ejection", "queue", "topology", "nodes"]) {
      assert.ok(sources[part], `${name}: ${part}`);
    }
    const pes = Math.min(nodes ?? 16, 64);
    const by = (given: SimulationOptions["network"]) =>
      stream({ pes, nodes: pes, network: given }, 20, { bufferBytes: 64 });
    const like = name as NetworkName;
    const result = by(like);
    assert.equal(by({ like }), result);
    assert.equal(by(network), result);
    assert.is.not(by({ like, alpha: 9000 }).time, result.time);
  }
  // what is given replaces a part
  const slow = stream({ pes: 8, nodes: 8, network: { like: "cm-5", injection: { byte: 500 } } }, 50);
  assert.ok((slow.network?.injection ?? 0) > 50 * 7 * 4 * 500 * 0.9);
});

/** Of two hosts with a link of 1 Gbit/s, Open MPI over TCP, as it was measured. */
const internode = {
  alpha: 67_000,
  beta: 14.5,
  receiver: { fixed: 1351, sender: 1697, residual: { median: 0, worst: 0 } },
  pes: [
    {
      ...{
        pes: 1,
        alpha: 67_000,
        beta: 14.5,
        residual: { median: 0, worst: 0 },
        latency: [],
        stream: [],
        overhead: 8000,
      },
      gap: { message: 32_000, byte: 9.89, residual: { median: 0, worst: 0 } },
      pieces: [
        { from: 8, to: 1024, alpha: 60_000, beta: 12, residual: { median: 0, worst: 0 } },
        { from: 4096, to: 65_536, alpha: 80_000, beta: 15, residual: { median: 0, worst: 0 } },
      ],
    },
    {
      ...{
        pes: 2,
        alpha: 220_000,
        beta: 20.5,
        residual: { median: 0, worst: 0 },
        latency: [],
        stream: [],
        overhead: 8000,
      },
      gap: { message: 52_000, byte: 19.6, residual: { median: 0, worst: 0 } },
    },
  ],
} satisfies Internode;

const machineWith = (between: Internode | undefined): MachineModel => ({
  ...{ schema: "tundish/machine@1", name: "m", source: "test", unit: "ns", measured: "2026-01-01" },
  pes: [0, 1].map((cpu) => ({ cpu, core: cpu, numa: 0, package: 0 })),
  send: [
    [0, 50],
    [50, 0],
  ],
  receive: [
    [0, 50],
    [50, 0],
  ],
  ...(between === undefined ? {} : { internode: between }),
});

congestion("measured: a message alone takes as long as was measured, and streams share a node's rate", () => {
  const machine = machineWith(internode);
  /** Time until an active message of 16 bytes has come. */
  const alone = (network: SimulationOptions["network"], model = machine) => {
    let time = 0;
    simulate({ pes: 2, nodes: 2, machine: model, network, costs: { byte: 0 } }, function* (pe) {
      const port = pe.activeMessages(() => {
        time = pe.now;
      });
      if (pe.rank === 0) port.send(1, [5]);
      while (time === 0) yield* pe.turn();
    });
    return time;
  };
  near(alone("measured"), 60_000 + 12 * 16, 0.01);
  near(alone({ like: "measured", pieces: [] }), 67_000 + 14.5 * 16, 0.01);
  // what is given beside it holds for all sizes
  const busy = 100 + 26_000 + 1697;
  near(alone({ like: "measured", alpha: 500_000 }), busy + 500_000 + 12 * 16, 0.01);
  near(alone({ like: "measured", beta: 1e6 }), 60_000 + 16e6, 0.01);
  near(alone("measured", machineWith({ alpha: 1800, beta: 0.5 })), 1800 + 8, 0.03);
  // 2 PEs of a node, 52 us and 19.6 ns a byte each: 26 us and 9.8 ns for the node
  const { network: use } = stream({ pes: 4, nodes: 2, machine, network: "measured" }, 2000);
  assert.ok(use);
  near(use.injection, (use.messages / 2) * 26_000 + (use.bytes / 2) * 9.8, 0.2);
});

congestion("options that cannot be are refused by their place, with what was expected and what came", () => {
  const refused = (network: unknown, machine?: MachineModel): string => {
    try {
      simulate({ pes: 8, nodes: 8, network, machine } as never, function* () {});
    } catch (error) {
      assert.instance(error, UsageError);
      return (error as Error).message.replace(" [ERR_TUNDISH_USAGE]", "");
    }
    return "";
  };
  const KIND = "network.topology: expected an object with kind, which is one of full, mesh, fat-tree, got ";
  for (const [network, message] of [
    [null, "network: expected an object, got null"],
    [{ alpha: -1 }, "network.alpha: expected a number >= 0, got -1"],
    [{ queue: 0 }, "network.queue: expected a whole number >= 1, got 0"],
    [{ queue: 2.5 }, "network.queue: expected a whole number >= 1, got 2.5"],
    [{ packetBytes: 0 }, "network.packetBytes: expected a whole number >= 1, got 0"],
    [{ interleaved: "yes" }, 'network.interleaved: expected true or false, got "yes"'],
    [{ bisection: Number.NaN }, "network.bisection: expected a number >= 0, got NaN"],
    [{ injection: { byte: -2 } }, "network.injection.byte: expected a number >= 0, got -2"],
    [{ ejection: 5 }, "network.ejection: expected an object, got 5"],
    [{ topology: null }, `${KIND}null`],
    [{ topology: "mesh" }, `${KIND}"mesh"`],
    [{ topology: { kind: "toString" } }, `${KIND}{ kind: 'toString' }`],
    [{ topology: { kind: "mesh" } }, "network.topology.byte: expected a number >= 0, got undefined"],
    [
      { topology: { kind: "mesh", byte: 1, columns: 3 } },
      "network.topology.columns: expected a divisor of the number of nodes (8), got 3",
    ],
    [{ topology: { kind: "fat-tree", levels: [] } }, "network.topology.levels: expected at least one level, got []"],
    [
      { topology: { kind: "fat-tree", levels: [{ children: 2, byte: 1 }] } },
      "network.topology.levels: expected children for 8 nodes, got 2 in all",
    ],
    [
      { topology: { kind: "fat-tree", levels: [{ byte: 1 }, { byte: 1 }] } },
      "network.topology.levels.0.children: expected a whole number >= 1, got undefined",
    ],
    [
      {
        pieces: [
          { from: 0, alpha: 1, beta: 1 },
          { from: 0, alpha: 1, beta: 1 },
        ],
      },
      "network.pieces.1.from: expected more than 0, got 0",
    ],
    [
      "measured",
      'network: expected a machine model with internode for "measured" (tundish profile under mpirun), not marked as noisy, got none',
    ],
  ] as const) {
    assert.is(refused(network), message);
  }
  assert.match(refused("cm5"), /^network: expected one of "cm-5", "paragon", .*"measured", got "cm5"$/);
  assert.match(refused({ like: "toString" }), /^network\.like: expected one of "cm-5", /);
  assert.match(refused({ ejections: {} }), /^network: unknown option 'ejections'; did you mean 'ejection'\?/);
  assert.match(refused({ topology: { kind: "mesh", byte: 1, rows: 2 } }), /^network\.topology: unknown option 'rows'/);
  assert.match(refused("measured", machineWith(undefined)), /got none$/);
  assert.is(refused({ queue: undefined, like: undefined, topology: undefined }), "");
});

congestion.run();

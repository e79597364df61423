/** The order of links: each PE begins after itself, near PEs first; simple conveyors send in a random order. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { choose } from "../../../src/route/geometry/conveyor-choice.ts";
import { linkOrders } from "../../../src/route/geometry/link-order.ts";
import type { ConveyorOptions } from "../../../src/route/geometry/options.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import type { Ordered } from "./programs/link-order.program.ts";
import { matrixOf } from "./support/near-and-far.ts";
import { type OrderArgs, ordersOf, type Sent } from "./support/orders.ts";
import { playVirtually } from "./support/seats.ts";

/** Two domains of four, which alternate. */
const NEAR = matrixOf(8, (pe) => pe % 2);
const FLAT = matrixOf(8, () => 0);

/** Flat costs, and CPUs of two NUMA nodes that alternate; on as many CPUs as a machine may have. */
const TWO_NUMA_NODES: MachineModel = {
  ...matrixOf(256, () => 0),
  pes: Array.from({ length: 256 }, (_, cpu) => ({ cpu, core: null, numa: cpu % 2, package: null })),
};

/** By rank: the receivers at each hop in the order of the buffers, without those to the PE itself. */
const played = (options: ConveyorOptions, machine = NEAR, pes = 8): Sent[] =>
  playVirtually({ pes, machine, seed: 3, jitter: 1 }, (pe) => ordersOf(pe, options)).results.slice();

const orders = suite("order of links");

orders("one hop: the PEs of its domain after itself, then the other domain, then those before itself", () => {
  const sent = played({});
  assert.equal(sent[0], [[2, 4, 6, 1, 3, 5, 7]]);
  assert.equal(sent[4], [[6, 1, 3, 5, 7, 0, 2]]);
  assert.equal(sent[7], [[0, 2, 4, 6, 1, 3, 5]]);
});

orders("without domains: from its own rank on", () => {
  const sent = played({}, FLAT);
  for (const [rank, [to]] of sent.entries()) {
    assert.equal(
      to,
      Array.from({ length: 7 }, (_, i) => (rank + 1 + i) % 8),
    );
  }
});

orders("at every step all PEs send to different ones", () => {
  for (const options of [{}, { hops: 2, groupSize: 4 }, { hops: 3, groupSize: 2 }] as const) {
    const { type, route, near } = choose(options, 12, 8, {
      levels: [Int32Array.from({ length: 12 }, (_, pe) => pe % 3)],
    });
    const of = Array.from({ length: 12 }, (_, rank) => linkOrders({ type, route, near }, rank));
    for (let hop = 0; hop < route.hops; hop++) {
      const counts = of.map((own) => {
        const { links, start } = own[hop] as (typeof own)[number];
        return Array.from(links, (_, i) => links[(start + i) % links.length] as number);
      });
      for (const [rank, links] of counts.entries()) {
        assert.equal(
          [...links].sort((a, b) => a - b),
          links.map((_, link) => link),
          `PE ${rank}`,
        );
      }
    }
    if (route.hops > 1) continue;
    for (let step = 0; step < 12; step++) {
      const to = of.map(([{ links, start }]) => links[(start + step) % 12]);
      assert.is(new Set(to).size, 12, `step ${step}`);
    }
  }
});

orders("more hops: within the row and along the column from its own place on", () => {
  const sent = played({ hops: 2, groupSize: 4 });
  // rows 0 2 4 6 and 1 3 5 7: the item for itself is sent last, and not counted
  assert.equal(sent[2]?.[0], [4, 6, 0]);
  assert.equal(sent[2]?.[1], [3]);
  assert.equal(sent[7]?.[0], [1, 3, 5]);
  assert.equal(sent[7]?.[1], [6]);
});

orders("a simple conveyor sends in an order that is random, another one at each PE, and the same in every run", () => {
  const sent = played({ type: "simple" });
  assert.equal(played({ type: "simple" }), sent);
  for (const [rank, [to]] of sent.entries()) {
    assert.equal(
      [...(to as number[])].sort((a, b) => a - b),
      Array.from({ length: 8 }, (_, pe) => pe).filter((pe) => pe !== rank),
    );
    assert.not.equal(
      to,
      [...(to as number[])].sort((a, b) => a - b),
      `PE ${rank} sends in order`,
    );
  }
  assert.ok(new Set(sent.map(([to]) => to?.[0])).size > 3, "some begin with the same one, not most");
});

const program = sibling("./programs/link-order.program.js", import.meta.url);

orders("on threads: by the domains of the CPUs that they are on", async () => {
  const pes = 4;
  for (const options of [{}, { hops: 2, groupSize: 2 }] as const) {
    const args: OrderArgs = { options };
    const all = await launch<Ordered>(program, { pes, machine: TWO_NUMA_NODES, args, timeout: 60_000 });
    const byRank = all.map(({ cpu }, rank) => ({ rank, numa: (cpu as number) % 2 }));
    const near = byRank.sort((a, b) => a.numa - b.numa || a.rank - b.rank).map(({ rank }) => rank);
    for (const [rank, { sent }] of all.entries()) {
      const place = near.indexOf(rank);
      const after = near.map((_, i) => near[(place + 1 + i) % pes]).slice(0, -1);
      const expected = options.hops === 2 ? [[near[place ^ 1]], [near[place ^ 2]]] : [after];
      assert.equal(sent, expected, `PE ${rank} of ${near}, ${JSON.stringify(options)}`);
    }
  }
});

orders.run();

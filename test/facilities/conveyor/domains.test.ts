/** Hops and groups follow the measured matrix: on one node, over nodes, with a load and without. */
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { bytes } from "../../../src/ground/item/item-type.ts";
import { domainsAmong, domainsOfNode, domainsOfWorld } from "../../../src/links/world/domains.ts";
import type { MachineModel } from "../../../src/machine/model/machine-model.ts";
import { selectPEs } from "../../../src/machine/model/select.ts";
import { choose } from "../../../src/route/geometry/conveyor-choice.ts";
import { linkOrders } from "../../../src/route/geometry/link-order.ts";
import type { ConveyorOptions } from "../../../src/route/geometry/options.ts";
import { simulate } from "../../../src/running/simulate/simulate.ts";
import { model } from "../../interface/cli/support/cli.ts";
import { matrixOf } from "./support/near-and-far.ts";
import { mix } from "./support/payloads.ts";

const read = (name: string): MachineModel => JSON.parse(readFileSync(model(name), "utf8")) as MachineModel;
/** 256 hardware threads: 2 sockets, 32 domains of 8 (16 where caches are shared), 128 cores. */
const DUAL = read("c2c-dual-amd-epyc-7742-64-core-processor");
/** 64 cores, all equally near. */
const FLAT = read("c2c-aws-graviton3");

/** A machine's PEs in a random order. */
function shuffled(machine: MachineModel): MachineModel {
  const rows = machine.pes.map((_, pe) => pe).sort((a, b) => mix(a, 1) - mix(b, 1));
  return selectPEs(machine, rows);
}

interface Run {
  /** ns */
  readonly time: number;
  readonly told: string;
  readonly hops: number;
}

/** All PEs of a machine send so many items of 16 bytes to random PEs. */
function run(machine: MachineModel, options: ConveyorOptions, items: number): Run {
  const item = bytes(16);
  const payload = new Uint8Array(16);
  const { results, time, conveyors } = simulate({ pes: machine.pes.length, machine }, function* (pe) {
    const c = pe.conveyor(item, options);
    yield* c.begin();
    for (let i = 0; yield* c.advance(i === items); ) {
      while (i < items && c.push(mix(pe.rank, i) % pe.size, payload)) i++;
      while (c.pull());
    }
    yield* c.reset();
    return c.explain();
  });
  return { time, told: results[0] as string, hops: conveyors[0]?.hops.length as number };
}

/** The groups of a grid, each in ascending order. */
function groups({ ranks, groupSize }: { readonly ranks: Int32Array; readonly groupSize: number }): number[][] {
  return Array.from({ length: ranks.length / groupSize }, (_, row) =>
    [...ranks.slice(row * groupSize, (row + 1) * groupSize)].sort((a, b) => a - b),
  );
}

const domains = suite("domains");

domains("nothing is said: where buffers would be small, groups of a domain; all equally near: one hop", () => {
  // 4 domains of 16, which take turns
  const levels = domainsOfWorld(
    [0, 64],
    [
      domainsOfNode(
        matrixOf(64, (pe) => pe % 4),
        64,
      ),
    ],
  );
  assert.equal(
    levels.map((level) => Array.from(level)),
    [Array.from({ length: 64 }, (_, pe) => pe % 4)],
  );
  const small = { maxBytes: 100_000 };
  const { route, bufferBytes } = choose(small, 64, 8, { levels });
  assert.equal([route.hops, route.groupSize], [2, 16]);
  assert.ok(bufferBytes >= 1024);
  assert.equal(
    groups(route),
    [0, 1, 2, 3].map((first) => Array.from({ length: 16 }, (_, i) => first + 4 * i)),
  );
  assert.is(choose({}, 64, 8, { levels }).route.hops, 1, "buffers of 8 KiB");
  const flat = choose(small, 64, 8, { levels: [] });
  assert.equal([flat.route.hops, flat.bufferBytes], [1, 256]);
  assert.is(choose({ ...small, hops: 1 }, 64, 8, { levels }).route.hops, 1);
  assert.is(choose({ ...small, type: "simple" }, 64, 8, { levels }).route.hops, 1);
});

domains("a measured machine of many domains: the default has their groups, and is faster than one hop", () => {
  const usual = run(DUAL, {}, 100);
  assert.is(usual.hops, 2);
  assert.match(
    usual.told,
    /^no load given.*\ntensor, 2 hops in groups of 16, .*\n {2}groups of 16: [\s\S]*\n {2}links: after its own, in the order of the domains\n {4}2 of 128 PEs\n {4}/,
  );
  const straight = run(DUAL, { hops: 1 }, 100);
  assert.ok(usual.time < 0.7 * straight.time, `${usual.time} and ${straight.time} ns`);
  const flat = run(FLAT, {}, 100);
  assert.is(flat.hops, 1);
  assert.match(flat.told, /^tensor, 1 hop, .*\n {2}links: after its own, by rank$/);
});

domains("a plan for a load has the groups of a measured machine, however its PEs are numbered", () => {
  const load = 100;
  const planned = run(DUAL, { load }, load);
  assert.match(
    planned.told,
    /^tensor, 3 hops in groups of 8, [\s\S]*\n {2}groups of 8: the 32 domains that the model shows\n(?![\s\S]* {2}groups: )/m,
  );
  assert.ok(planned.time < 0.4 * run(DUAL, { hops: 1 }, load).time);
  const mixed = shuffled(DUAL);
  const found = run(mixed, { load }, load);
  assert.match(found.told, /\n {2}groups of 8: the 32 domains that the model shows\n/);
  assert.ok(found.time < 1.1 * planned.time, `${found.time} and ${planned.time} ns`);
  // the groups of a route are those that the matrix shows
  const levels = domainsOfWorld([0, 256], [domainsOfNode(mixed, 256)]);
  const { route } = choose({ hops: 3, groupSize: 8 }, 256, 16, { levels });
  const of = new Map(mixed.pes.map(({ cpu }, rank) => [rank, cpu]));
  const inOrder = domainsOfNode(DUAL, 256).find((level) => new Set(level).size === 32) as readonly number[];
  for (const group of groups(route)) {
    const home = new Set(group.map((rank) => inOrder[DUAL.pes.findIndex(({ cpu }) => cpu === of.get(rank))]));
    assert.is(home.size, 1, `ranks ${group}`);
  }
});

/** Two nodes of 8 PEs with two domains of 4 each, which alternate on node 0, and a third one whose PEs are all near. */
const alternating = [Array.from({ length: 8 }, (_, pe) => pe % 2)];
const halves = [Array.from({ length: 8 }, (_, pe) => Math.floor(pe / 4))];

domains("over nodes: two hops in rows of a node, three in groups of their domains; near PEs first", () => {
  const levels = domainsOfWorld([0, 8, 16], [alternating, halves]);
  assert.equal(
    levels.map((level) => level.join("")),
    ["0000000011111111", "0101010122223333"],
  );
  const two = choose({ hops: 2 }, 16, 8, { levels, nodeLayout: { ...layoutOf(8), nodeSize: 8 } });
  assert.is(two.route.groupSize, 8);
  const three = choose({ hops: 3, groupSize: 2 }, 16, 8, {
    levels,
    nodeLayout: { ...layoutOf(8), nodeSize: 8 },
  });
  assert.equal(groups(three.route).slice(0, 2), [
    [0, 2],
    [4, 6],
  ]);
  const { type, route, near } = choose({ hops: 1 }, 16, 8, { levels });
  const [{ links, start }] = linkOrders({ type, route, near }, 4) as [{ links: Int32Array; start: number }];
  const order = Array.from(links, (_, i) => links[(start + i) % 16]);
  assert.equal(order, [6, 1, 3, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 2, 4]);
});

domains("large items, and buffers of a given size, do not make more hops on one node", () => {
  const levels = domainsOfWorld([0, 8], [halves]);
  for (const [options, itemBytes] of [
    [{ bufferBytes: 2 ** 18 }, 8],
    [{}, 2 ** 18],
  ] as const)
    assert.is(choose(options, 8, itemBytes, { levels }).route.hops, 1);
  const many = domainsOfWorld([0, 256], [domainsOfNode(DUAL, 256)]);
  assert.ok(choose({}, 256, 8, { levels: many }).route.hops > 1);
  assert.is(choose({ bufferBytes: 16_384 }, 256, 8, { levels: many }).route.hops, 1);
});

const layoutOf = (nodeSize: number) => ({
  bufferBytes: 16_384,
  usualHops: [1, 2, 3] as const,
  leastBytes: 16_384,
  alsoLarge: true,
  share: 1,
  nodeSize,
  bytesOf: () => 0,
});

domains("a node without domains is one by itself; a group has what distinguishes its PEs", () => {
  const world = domainsOfWorld([0, 8, 12, 20], [alternating, [], halves]);
  assert.equal(
    world.map((level) => level.join("")),
    ["00000000111122222222", "01010101222233334444"],
  );
  assert.equal(
    domainsAmong(world, [0, 1, 2, 3]).map((level) => level.join("")),
    ["0101"],
  );
  assert.equal(domainsAmong(world, [0, 2, 4]), []);
  assert.equal(domainsAmong(world, [1, 8, 12]), []);
  assert.equal(
    domainsAmong(world, [19, 8, 18, 9]).map((level) => level.join("")),
    ["2121", "4242"],
  );
  assert.equal(domainsOfWorld([0, 1, 2], [[], []]), []);
});

domains.run();

/** Meshes of any shape: the contract over every back end, choices that cannot be beside them, and what is told of them. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { bytes, u32 } from "../../../src/ground/item/item-type.ts";
import { CONVEYOR_DISCIPLINES, type ConveyorOptions } from "../../../src/route/geometry/options.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import type { Args } from "../../facilities/conveyor/programs/matrix.program.ts";
import { type Case, meshOf, nameOf, playCase } from "../../facilities/conveyor/support/cases.ts";
import { mix } from "../../facilities/conveyor/support/payloads.ts";
import { watcher } from "../../facilities/conveyor/support/scenario.ts";
import { playVirtually } from "../../facilities/conveyor/support/seats.ts";
import { LONG, rounds } from "../../support/long.ts";

const meshes = suite("meshes");

/** Meshes, and on how many nodes: whole parts of the greatest dimension, and not. */
const SHAPES: readonly (readonly [mesh: readonly number[], nodes: number])[] = [
  [[2, 3], 1],
  [[3, 2], 2],
  [[5, 1, 3], 3],
  [[3, 2, 2], 2],
  [[3, 2, 2], 4],
  [[2, 7, 2], 2],
  [[2, 2, 9], 3],
  [[3, 5, 7], 7],
  ...(LONG
    ? ([
        [[3, 5, 7], 1],
        [[7, 5, 3], 5],
      ] as const)
    : []),
];

/** All kinds of conveyors in a mesh. */
const casesIn = (mesh: readonly number[]): readonly Case[] => [
  { front: "rigid", options: { mesh } },
  { front: "rigid", options: { mesh, steady: true, buffersPerLink: 1 } },
  { front: "rigid", options: { mesh, compress: true } },
  { front: "elastic", options: { mesh, buffersPerLink: 4 } },
  { front: "elastic", options: { mesh, steady: true, compress: true } },
  { front: "bi", options: { mesh } },
  { front: "elastic bi", options: { mesh, buffersPerLink: 1 } },
];

for (const [shape, [mesh, nodes]] of SHAPES.entries()) {
  const pes = mesh.reduce((all, one) => all * one, 1);
  meshes(`${mesh.join(" x ")} on ${nodes} nodes`, () => {
    const disciplined = CONVEYOR_DISCIPLINES.map(
      (discipline): Case => ({ front: "rigid", options: { mesh, discipline } as ConveyorOptions }),
    );
    const all = [...casesIn(mesh), ...disciplined];
    for (const [i, one] of all.entries()) {
      // some of the cases, others in each mesh: fewer of many PEs
      const of = pes > 50 ? 8 : 5;
      if (!LONG && (i + shape) % of !== 0) continue;
      const seed = mix(pes, nodes, i);
      const volume = { count: pes > 50 ? 8 : 30, sessions: rounds(1, 8) };
      try {
        playVirtually({ pes, nodes, seed, jitter: seed % 3, timeout: 60_000 }, (pe) =>
          playCase(pe, one, volume, seed, watcher(pes)),
        );
      } catch (error) {
        (error as Error).message = `${nameOf(one)}, seed ${seed}: ${(error as Error).message}`;
        throw error;
      }
    }
  });
}

for (const mesh of [
  [2, 3],
  [3, 2, 2],
]) {
  const pes = mesh.reduce((all, one) => all * one, 1);
  meshes(`${mesh.join(" x ")} on threads`, async () => {
    const disciplined: Case = { front: "elastic", options: { mesh, discipline: "interleaved" } };
    const cases = [...casesIn(mesh), disciplined];
    const some = cases.filter((_, i) => LONG || i % 2 === (pes % 4) / 2);
    const args: Args = { cases: some, volume: { count: 40, sessions: rounds(2, 30) } };
    const results = await launch(sibling("../../facilities/conveyor/programs/matrix.program.js", import.meta.url), {
      pes,
      args,
      timeout: 120_000,
    });
    assert.is(results.length, pes);
  });
}

meshes("the mesh of the matrix has all PEs", () => {
  assert.equal(
    [meshOf(24, 3), meshOf(24, 2), meshOf(5, 3), meshOf(1, 2)],
    [
      [6, 2, 2],
      [4, 6],
      [5, 1, 1],
      [1, 1],
    ],
  );
});

/** Makes a conveyor at each of 6 PEs; gives what PE 0 says of it. */
const told = (options: ConveyorOptions, pes = 6): string =>
  playVirtually({ pes }, function* (pe) {
    yield;
    const c = pe.conveyor(u32, options);
    const text = c.explain();
    c.free();
    return text;
  }).results[0] as string;

meshes("what cannot be beside a mesh is refused, and what is none", () => {
  const refused = (options: unknown, message: RegExp) =>
    assert.throws(
      () => told(options as ConveyorOptions),
      (error: Error & { code?: string }) => error.code === "ERR_TUNDISH_USAGE" && message.test(error.message),
      String(message),
    );
  refused({ mesh: [2, 3], hops: 2 }, /mesh: expected no hops beside it, .* got 2/);
  refused({ mesh: [2, 3], groupSize: 2 }, /mesh: expected no groupSize beside it, .* got 2/);
  refused({ mesh: [2, 3], type: "simple" }, /mesh: expected type "tensor" beside it, .* got "simple"/);
  refused({ mesh: [6], type: "trivial" }, /mesh: expected type "tensor" beside it, .* got "trivial"/);
  refused({ mesh: [2, 2] }, /mesh: expected sizes whose product is 6, .* got 2 x 2, which is 4/);
  for (const mesh of [[], [1, 1, 2, 3], [2.5], [-2, -3], ["2", "3"], [undefined, 6], new Array(2), "2x3", 6, null]) {
    refused({ mesh }, /mesh: expected an array of one to three whole numbers >= 1, got/);
  }
  refused({ plan: { mesh: [2, 3], hops: 2 } }, /plan: mesh: expected no hops beside it/);
});

meshes("a mesh is told, and that of one dimension is one hop", () => {
  assert.match(
    told({ mesh: [3, 1, 2] }),
    /^tensor, 2 hops in a mesh of 3 x 2, 2 x 16 KiB for each link: .*\n {2}the greatest dimension is between: neighbours by rank/,
  );
  assert.match(told({ mesh: [1, 6] }), /^tensor, 1 hop, /);
  assert.match(
    told({ mesh: [3, 2], load: 1000 }),
    /\n {2}the greatest dimension is between groups of 3: neighbours in the order of the domains\n(.*\n)* {2}forced: mesh/,
  );
  assert.match(told({ mesh: [3, 2], discipline: "random" }), /discipline random, hop 1: a PE sends/);
});

meshes("a plan's mesh is taken, and gives way to what is given at the call", () => {
  const plan = { mesh: [3, 2], bufferBytes: 512 };
  assert.match(told({ plan }), /^tensor, 2 hops in a mesh of 3 x 2, 2 x 512 B .*: the call's plan/);
  const straight = told({ plan, hops: 1 });
  assert.match(straight, /^tensor, 1 hop, 2 x 512 B/);
  assert.match(straight, /\n {2}mesh: none, for 1 hop, given at the call, not 3 x 2 as in the call's plan/);
  const groups = told({ plan: { hops: 2, groupSize: 2 }, mesh: [2, 3] });
  assert.match(groups, /^tensor, 2 hops in a mesh of 2 x 3, /);
  assert.match(groups, /\n {2}hops: open, for a mesh of 2 x 3, given at the call, not 2 as in the call's plan/);
  const simple = told({ plan: { type: "simple" }, mesh: [2, 3] });
  assert.match(
    simple,
    /^tensor, [\s\S]*\n {2}type: tensor, for a mesh of 2 x 3, given at the call, not simple as in the call's plan/,
  );
});

meshes("what was kept for an array of sizes is not taken for other ones", () => {
  playVirtually({ pes: 6 }, function* (pe) {
    yield;
    const mesh = [2, 3];
    const options = { mesh };
    const ways = [];
    for (const [a, b] of [
      [2, 3],
      [3, 2],
      [2, 3],
      [1, 6],
    ] as const) {
      mesh.splice(0, 2, a, b);
      const c = pe.conveyor(bytes(3), options);
      ways.push(/a mesh of \d x \d|1 hop/.exec(c.explain())?.[0]);
      c.free();
    }
    assert.equal(ways, ["a mesh of 2 x 3", "a mesh of 3 x 2", "a mesh of 2 x 3", "1 hop"]);
  });
});

meshes.run();

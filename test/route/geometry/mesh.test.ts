/** Meshes of any shape: the contract over every back end, choices that cannot be beside them, and what is told of them. */
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { bytes, u32 } from "../../../src/ground/item/item-type.ts";
import { CONVEYOR_DISCIPLINES, type ConveyorOptions } from "../../../src/route/geometry/options.ts";
import type { Args } from "../../facilities/conveyor/programs/matrix.program.ts";
import { type Case, meshOf, nameOf, playCase } from "../../facilities/conveyor/support/cases.ts";
import { mix } from "../../facilities/conveyor/support/payloads.ts";
import { watcher } from "../../facilities/conveyor/support/scenario.ts";
import { playVirtually } from "../../facilities/conveyor/support/seats.ts";
import { LONG, rounds } from "../../support/long.ts";
import { launchPooled } from "../../support/thread-pool.ts";

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
  [[2, 2, 2, 2], 4],
  [[2, 3, 1, 2, 2], 3],
  [[2, 2, 2, 2, 2, 2], 8],
  ...(LONG
    ? ([
        [[3, 5, 7], 1],
        [[7, 5, 3], 5],
        [new Array(8).fill(2), 16],
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
      const of = pes > 50 ? 12 : 8;
      if (!LONG && (i + shape) % of !== 0) continue;
      const seed = mix(pes, nodes, i);
      const volume = { count: pes > 50 ? 8 : 30, sessions: rounds(1, 8) };
      // one for all PEs: it compares them
      const watch = watcher(pes);
      try {
        playVirtually({ pes, nodes, seed, jitter: seed % 3, timeout: 60_000 }, (pe) =>
          playCase(pe, one, volume, seed, watch),
        );
      } catch (error) {
        (error as Error).message = `${nameOf(one)}, seed ${seed}: ${(error as Error).message}`;
        throw error;
      }
    }
  });
}

for (const [shape, mesh] of [
  [2, 3],
  [3, 2, 2],
  [2, 2, 2],
  [2, 2, 2, 2],
].entries()) {
  const pes = mesh.reduce((all, one) => all * one, 1);
  meshes(`${mesh.join(" x ")} on threads`, async () => {
    const disciplined: Case = { front: "elastic", options: { mesh, discipline: "interleaved" } };
    const cases = [...casesIn(mesh), disciplined];
    const some = cases.filter((_, i) => LONG || i % 2 === shape % 2);
    const args: Args = { cases: some, volume: { count: 40, sessions: rounds(1, 30) } };
    const results = await launchPooled(
      sibling("../../facilities/conveyor/programs/matrix.program.js", import.meta.url),
      { pes, args, heapBytes: 2 ** 24, waitTimeout: 60_000 },
    );
    assert.is(results.length, pes);
  });
}

/** What each PE gets from each other one, in order, of items for PEs that are drawn. */
const arrivals = (pes: number, nodes: number, seed: number, isElastic: boolean, options: ConveyorOptions): unknown => {
  const { results, conveyors } = playVirtually({ pes, nodes, seed, jitter: seed % 4, timeout: 60_000 }, function* (pe) {
    const c = isElastic ? pe.elasticConveyor(options) : pe.conveyor(bytes(8), options);
    const got: string[][] = Array.from({ length: pe.size }, () => []);
    for (let session = 0; session < 2; session++) {
      yield* c.begin();
      const count = mix(seed, pe.rank, session) % 30;
      for (let i = 0; yield* c.advance(i === count); ) {
        while (i < count) {
          const number = mix(seed, pe.rank, session, i);
          const item = new Uint8Array(isElastic ? number % 50 : 8).fill(number);
          if (!c.push(mix(number) % pe.size, item)) break;
          i++;
        }
        while (c.pull()) got[c.from].push(String("bytes" in c ? c.bytes : c.item));
      }
      const { pushes, pulls } = c.stats();
      got[pe.rank].push(`${pushes} ${pulls}`);
      yield* c.reset();
    }
    return got;
  });
  return { results, hops: conveyors[0].hops.length };
};

meshes("drawn meshes of one to six dimensions deliver what the trivial type does, in the same order", () => {
  fc.assert(
    fc.property(
      fc
        .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 })
        .filter((mesh) => mesh.reduce((all, one) => all * one, 1) <= 64),
      fc.record({
        seed: fc.nat(),
        isElastic: fc.boolean(),
        steady: fc.boolean(),
        compress: fc.boolean(),
        bufferBytes: fc.constantFrom(24, 64, 200),
        buffersPerLink: fc.constantFrom(1 as const, 2 as const, 4 as const),
      }),
      (mesh, { seed, isElastic, ...options }) => {
        const pes = mesh.reduce((all, one) => all * one, 1);
        const nodes = seed % 2 === 0 ? 1 : (mesh.at(-1) as number);
        const type = isElastic ? "simple" : "trivial";
        const { results } = arrivals(pes, nodes, seed, isElastic, { type }) as { results: unknown };
        const hops = Math.max(1, mesh.filter((size) => size > 1).length);
        assert.equal(arrivals(pes, nodes, seed, isElastic, { ...options, mesh }), { results, hops });
      },
    ),
    { numRuns: rounds(20, 2000) },
  );
});

meshes("a mesh of eight dimensions delivers what the trivial type does", () => {
  const { results } = arrivals(256, 16, 5, false, { type: "trivial" }) as { results: unknown };
  const mesh = new Array(8).fill(2);
  const got = arrivals(256, 16, 5, false, { mesh, bufferBytes: 64, steady: true, compress: true });
  assert.equal(got, { results, hops: 8 });
});

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
  for (const mesh of [
    [],
    [6, ...new Array(20).fill(1)],
    [0, 6],
    [1.5, 4],
    [-2, -3],
    ["2", "3"],
    [undefined, 6],
    new Array(2),
    "2x3",
    6,
    null,
  ]) {
    refused({ mesh }, /mesh: expected an array of one to 20 whole numbers >= 1, got/);
  }
  refused({ mesh: [1, 2, 1, 3, 2] }, /mesh: expected sizes whose product is 6, .* got 1 x 2 x 1 x 3 x 2, which is 12/);
  refused({ plan: { mesh: [2, 3], hops: 2 } }, /plan: mesh: expected no hops beside it/);
});

meshes("a mesh is told, and that of one dimension is one hop", () => {
  assert.match(
    told({ mesh: [3, 1, 2] }),
    /^tensor, 2 hops in a mesh of 3 x 2, 2 x 16 KiB for each link: .*\n {2}the greatest dimension is between: neighbours by rank/,
  );
  assert.match(told({ mesh: [1, 6] }), /^tensor, 1 hop, /);
  assert.match(told({ mesh: new Array(8).fill(2) }, 256), /^tensor, 8 hops in a mesh of 2( x 2){7}, /);
  assert.match(told({ mesh: [6, ...new Array(19).fill(1)] }), /^tensor, 1 hop, /);
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

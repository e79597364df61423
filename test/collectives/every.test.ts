/** Every collective, in every way it can be called, equals a serial reference. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { createWorld, join, type TypedArray } from "../../src/index.ts";
import type { Trees } from "../../trees/model/tree.ts";
import { LONG, rounds } from "../support/long.ts";
import { drawn } from "../support/sample.ts";
import { launchPooled } from "../support/thread-pool.ts";
import type { Args } from "./programs/every.program.ts";
import { anyCase, type Case, EDGES, everyEdge, everyKindAndOp } from "./support/cases.ts";
import { ALGORITHMS, chain, disseminating, hybrid, treesOf } from "./support/plans.ts";

const program = sibling("./programs/every.program.js", import.meta.url);

interface How {
  readonly trees?: Trees;
  readonly checks?: boolean;
  readonly channel?: "fastforward";
  readonly arenaBytes?: number;
}

/** Room of each PE for long arrays. */
const LONG_BYTES = 2 ** 22;

async function check(pes: number, cases: readonly Case[], how: How = {}): Promise<void> {
  const { arenaBytes = 2 ** 20, ...options } = how;
  const args: Args = { cases, arenaBytes };
  // besides it, what a case needs: more the longer its arrays are
  const heapBytes = 2 ** 23 + 2 * pes * arenaBytes;
  const counts = await launchPooled(program, { pes, args, heapBytes, waitTimeout: 60_000, ...options });
  assert.equal(counts, Array(pes).fill(cases.length));
}

const tables = suite("each once");
/** The cases that a plain run plays in one of several worlds, which together have all of them: which is drawn. */
const shareOf = (cases: readonly Case[], world: number, worlds: number): readonly Case[] =>
  LONG ? cases : cases.filter((_, i) => drawn(worlds, "every", i) === world);
const CASES = everyKindAndOp([1, 7, 33, 0, 130]);
// each case with 2 or with 3 PEs, and with one, with five, or over FastForward
for (const [pes, world, worlds] of [
  [1, 0, 3],
  [2, 0, 2],
  [3, 1, 2],
  [5, 1, 3],
] as const) {
  tables(`every call with every type and op, ${pes} PEs`, () => check(pes, shareOf(CASES, world, worlds)));
}
tables("every call with every type and op over FastForward, 3 PEs", () =>
  check(3, shareOf(CASES, 2, 3), { channel: "fastforward" }),
);
tables("every call with every type and op without checks, 2 PEs", () =>
  check(2, shareOf(everyKindAndOp([3, 120]), 0, 2), { checks: false }),
);
/** At an edge, or one element below or above: one of the three in a plain run. */
const oneOfThree = (_: Case, i: number) => LONG || i % 3 === Math.floor(i / 3) % 3;
tables("every call and algorithm at the lengths where something changes over FastForward, 2 PEs", () =>
  check(2, everyEdge(["Float64Array"], EDGES).filter(oneOfThree), { channel: "fastforward", arenaBytes: LONG_BYTES }),
);
tables("every call and algorithm at the lengths where something changes, 2 PEs", () =>
  check(2, [...everyEdge(["Uint8Array"], EDGES).filter(oneOfThree), ...everyEdge(["Float64Array"], EDGES)], {
    arenaBytes: LONG_BYTES,
  }),
);
tables("every call and algorithm at the lengths where something changes, 4 PEs", () =>
  check(4, everyEdge(["Float32Array"], EDGES).filter(oneOfThree), { arenaBytes: LONG_BYTES }),
);
tables("clamped arrays and others of the same elements, joined, are not clamped", async () => {
  using host = await createWorld({ pes: 2, heapBytes: 2 ** 24 });
  using a = await join(host.ticket(0));
  using b = await join(host.ticket(1));
  const mine = Uint8ClampedArray.of(1, 255);
  const joined = await Promise.all([a.allgatherAsync<Uint8Array>(mine as never), b.allgatherAsync(Uint8Array.of(3))]);
  assert.equal(joined, [Uint8Array.of(1, 255, 3), Uint8Array.of(1, 255, 3)]);
  const into = new Uint8ClampedArray(3);
  const [inMine] = await Promise.all([a.allgatherAsync(mine, { into }), b.allgatherAsync(Uint8Array.of(3))]);
  assert.is(inMine, into);
  assert.equal(into, Uint8ClampedArray.of(1, 255, 3));
  const parts = await Promise.all([a, b].map((pe) => pe.alltoallvAsync<TypedArray>([mine, Uint8Array.of(3)])));
  assert.equal(parts, [
    [mine, mine],
    [Uint8Array.of(3), Uint8Array.of(3)],
  ]);
});
tables("one bigint by scatter, with every op: its one chunk is the last PE's, 4 PEs", () => {
  const bigints = everyKindAndOp([1]).filter(({ call, kind }) => call === "allreduce" && kind === "bigint");
  return check(
    4,
    bigints.map((one) => ({ ...one, algorithm: "scatter", root: 0 })),
  );
});
tables("1 MiB, 2 PEs", () =>
  check(2, everyEdge(["Float64Array"], [2 ** 20]).filter(oneOfThree), { arenaBytes: rounds(1, 2) * LONG_BYTES }),
);
const PLANS: readonly [string, (pes: number) => Trees][] = [
  ...ALGORITHMS.map((name): [string, (pes: number) => Trees] => [name, (pes) => treesOf(pes, name)]),
  ["dissemination", disseminating],
  ["hybrid", hybrid],
  ["a chain", chain],
];
for (const [i, [name, make]] of PLANS.entries()) {
  tables(`over other trees: ${name}`, () => {
    const cases = everyKindAndOp([2, 60]).filter((_, at) => at % 9 === i % 9);
    return check(5, shareOf(cases, i % 2, 2), { trees: make(5) });
  });
}
tables.run();

const properties = suite("any");
const RUNS = rounds(1, 2);
const COUNT = rounds(30, 60);
for (let pes = 1; pes <= 8; pes++) {
  // a plain run has the even numbers or the odd ones
  if (!LONG && pes % 2 !== drawn(2, "any calls")) continue;
  properties(`any calls, in any groups of ${pes} PEs`, async () => {
    const cases = fc.array(anyCase(pes), { minLength: COUNT, maxLength: COUNT });
    await fc.assert(
      fc.asyncProperty(cases, (cases) => check(pes, cases, { arenaBytes: LONG_BYTES })),
      {
        numRuns: RUNS * (LONG && pes > 1 && pes < 5 ? 2 : 1),
        endOnFailure: true,
        includeErrorInReport: true,
      },
    );
  });
}
properties.run();

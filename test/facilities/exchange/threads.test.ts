/** Exchanges on threads: every discipline, and every way to call one. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { rounds } from "../../support/long.ts";
import { drawn } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Args } from "./programs/exchange.program.ts";

const program = sibling("./programs/exchange.program.js", import.meta.url);
const run = (pes: number, args: Args) => launchPooled<number>(program, { pes, args, waitTimeout: 60_000 });

const test = suite("exchanges on threads");

/** In a plain run each pattern once with each discipline, on some number of PEs. */
for (const [pes, phases, skipped] of [
  [1, 2, 0],
  [2, 2, 2],
  [4, 1, 4],
]) {
  test(`every discipline, ${pes} PEs`, async () => {
    const first = rounds(1 + drawn(1000, "patterns") + skipped, 1);
    for (let seed = first; seed < first + rounds(1, 200); seed++) {
      const args = { part: "disciplines", seed, phases: rounds(phases, 5) } as const;
      assert.equal(await run(pes, args), Array(pes).fill(10));
    }
  });
}

test("awaited", async () => {
  for (const pes of [2, 3]) {
    assert.equal(await run(pes, { part: "async", phases: rounds(1, 5) }), Array(pes).fill(10));
  }
});

for (const [part, pes] of [
  ["all", 2],
  ["all", 3],
  ["elsewhere", 3],
  ["planned", 3],
] as const) {
  test(`${part}, ${pes} PEs`, async () => {
    assert.is((await run(pes, { part })).length, pes);
  });
}

test("arrays of the heap are read where they are", async () => {
  // a packet for each chunk, however small the buffers are
  assert.equal(await run(3, { part: "shared" }), [10, 10, 10]);
});

test("groups", async () => {
  assert.equal(await run(4, { part: "groups" }), [2, 2, 2, 2]);
});

test("a pace is kept", async () => {
  for (const ms of await run(2, { part: "pace" })) assert.ok(ms >= 38 && ms < 2000, `${ms}`);
});

test.run();

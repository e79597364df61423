/** Exchanges on threads: every discipline, and every way to call one. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/base/package-file.ts";
import { launch } from "../../src/launch/launch.ts";
import { rounds } from "../support/long.ts";
import type { Args } from "./programs/exchange.program.ts";

const program = sibling("./programs/exchange.program.js", import.meta.url);
const run = (pes: number, args: Args) => launch<number>(program, { pes, args, timeout: 120_000 });

const test = suite("exchanges on threads");

for (const [pes, phases] of [
  [1, 5],
  [2, 5],
  [4, 1],
]) {
  test(`every discipline, ${pes} PEs`, async () => {
    for (let seed = 1; seed <= rounds(1, 200); seed++) {
      const args = { part: "disciplines", seed, phases: rounds(phases, 5) } as const;
      assert.equal(await run(pes, args), Array(pes).fill(10));
    }
  });
}

test("awaited", async () => {
  for (const pes of [2, 3]) {
    assert.equal(await run(pes, { part: "async", phases: rounds(4 - pes, 5) }), Array(pes).fill(10));
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

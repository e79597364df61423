/** Append buffers as programs use and misuse them (programs/uses.program.ts). */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { appendBuffer, appendBufferAsync } from "../../../src/append.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import type { Part } from "./programs/uses.program.ts";

const program = sibling("./programs/uses.program.js", import.meta.url);
const test = suite("append, uses");

/** What every PE says, or what PE `rank` says. */
type Expected = (rank: number, pes: number) => readonly unknown[] | null;

const SIZES = [["1.5,2.5", "7,6,5,4", "7,7,7", "text", "0,0,0,0", "-1", "48,48,7,400,6"]] as const;
const OPTIONS =
  /unknown option 'overflw'; did you mean 'overflow'\? Known options: name, overflow, counting, transport/;

const expected: Readonly<Record<Part, Expected>> = {
  "what is pushed": (rank) => (rank === 0 ? SIZES[0] : null),
  misuse: (rank, pes) => [
    new RegExp(`^push: expected a rank from 0 to ${pes - 1}, got ${pes} .*_RANGE`),
    /^push: expected a rank .*got -1 .*_RANGE/,
    /^push: expected a rank .*got "0" .*_RANGE/,
    /^push: the append buffer of PE 0 has no room for 1000 bytes: 64 of 64 are left/,
    /^push: expected a typed array or a DataView that is not detached, got \[ 1, 2 \] .*_USAGE/,
    /^push: expected a typed array .*got undefined/,
    /^push: expected a typed array or a DataView that is not detached, got Uint8Array/,
    /^push: expected a typed array or a DataView that is not detached, got /,
    /^appendBuffer: expected a whole number of bytes from 0 to \d+, got -1/,
    /^appendBuffer: expected a whole number of bytes .*got 1\.5/,
    /^appendBuffer: expected a whole number of bytes .*got "8"/,
    OPTIONS,
    /^overflow: expected one of "error", "truncate", got "wrap"/,
    /^waitUntil: bytes: expected at most the 64 of this PE's buffer, got 65/,
    /^waitUntil: unknown option 'byte'; did you mean 'bytes'\?/,
    /^timeout: expected milliseconds >= 0, got -1/,
    /^data: expected the constructor of a typed array/,
    "60",
    new RegExp(`^push: the append buffer of PE ${rank} has no room for 5 bytes: 4 of 64 are left\\. .*_OFLO`),
    "4",
    "64,64,2",
    /^push: this append buffer was freed.*_STATE/,
    /^offset: this append buffer was freed/,
    /^completed: this append buffer was freed/,
    /^reset: this append buffer was freed/,
  ],
  "no buffer": (rank, pes) => [
    /^push: PE 1 has no append buffer, or one of 0 bytes, got 3 bytes for it\. .*_OFLO/,
    "0",
    "0",
    String([100, ...Array(pes - 1).fill(0)]),
    rank === 1 ? `${pes},0,0` : "0,0,0",
  ],
  "sizes differ": (rank, pes) => [
    String(Array.from({ length: pes }, (_, one) => 10 * (one + 1))),
    `${10 * (rank + 1)},${10 * (rank + 1)},1,${10 * (rank + 1)}`,
  ],
  "options differ": () => [/^appendBuffer: PE \d has made it with overflow .* and PE \d otherwise.*_MISMATCH/, true],
  resets: () => [
    "10",
    /^reset: 5 bytes have come since this PE last looked at the buffer, and would be lost.*_STATE/,
    "15,15",
    /^reset: 5 bytes have come since this PE last looked/,
    "5",
    "0,0,0,0",
    "3",
  ],
  "freed while it waits": () => [/^waitUntilAsync: this append buffer was freed.*_STATE/, "true"],
  waits: (rank) =>
    rank > 0
      ? []
      : [
          /^PE 0 waited for \d+ ms, .*waitUntil: 0 of 10 bytes came into the append buffer.*_TIMEOUT/,
          /^PE 0 waited for pushes into its append buffer longer .*0 of 3 messages came.*_TIMEOUT/,
          /^PE 0's wait was aborted: TimeoutError.*_ABORTED/,
          "200,200,100",
        ],
  uncounted: (rank, pes) => [
    /^messages: this append buffer does not count messages.*_STATE/,
    /^waitUntil: this append buffer does not count messages.*_STATE/,
    `,1,1,${(rank + pes - 1) % pes}`,
  ],
  started: () => [
    "1,2,3",
    /^pushStart: the append buffer of PE n has no room for 2000 bytes: 99[4-7] of 1000 are left.*_OFLO/,
    "true,true,true",
    "3",
    "6,6,3",
  ],
  many: () => [String([-1, ...Array.from({ length: 29 }, (_, i) => i + 1)])],
  "in groups": () => [true],
  "full heap": () => [/^appendBuffer: the heap has no contiguous n bytes for all PEs.*_HEAP/, true],
};

const parts = Object.keys(expected) as Part[];
for (const pes of [2, 3]) {
  let world: Promise<unknown[][]> | undefined;
  for (const [i, part] of parts.entries()) {
    test(`${part}, ${pes} PEs`, async () => {
      world ??= launch<unknown[]>(program, { pes, args: parts.map((part) => ({ part })), timeout: 60_000 });
      for (const [rank, all] of (await world).entries()) {
        const said = all[i] as readonly unknown[] | null;
        const wanted = expected[part](rank, pes);
        assert.is(said?.length, wanted?.length, `PE ${rank}: ${JSON.stringify(said)}`);
        for (const [k, one] of (wanted ?? []).entries()) {
          if (one instanceof RegExp) assert.match(String(said?.[k]), one);
          else assert.equal(said?.[k], one, `PE ${rank}, ${k}`);
        }
      }
    });
  }
}

test("virtual PEs: calls that would block name their Async forms", async () => {
  await simulateAsync({ pes: 2 }, async (pe) => {
    const blocked = /use await .*Async/;
    assert.throws(() => appendBuffer(pe, 8), blocked);
    const a = await appendBufferAsync(pe, 8);
    for (const call of ["push", "pushStart"] as const) assert.throws(() => a[call](0, new Uint8Array(1)), blocked);
    assert.throws(() => a.waitUntil({ bytes: 1 }), blocked);
    assert.throws(() => a.sync(), blocked);
    a.free();
  });
});

test("virtual PEs: what is complete is written, whatever one PE pushes at a time", async () => {
  for (let seed = 0; seed < 200; seed++) {
    await simulateAsync({ pes: 4, nodes: 2, seed, jitter: 5 }, async (pe) => {
      const a = await appendBufferAsync(pe, 4 * 6 * 8, { name: "of all" });
      const pushes = Array.from({ length: 6 * pe.size }, (_, i) =>
        a.pushAsync(i % pe.size, new Uint8Array(8).fill(1 + pe.rank)),
      );
      for (let seen = 0; seen < a.length; ) {
        await a.waitUntilAsync({ bytes: seen + 1 });
        const data = a.data();
        for (; seen < data.length; seen++) assert.ok((data[seen] as number) > 0, `seed ${seed}, byte ${seen}`);
      }
      assert.equal(new Set(await Promise.all(pushes)), new Set([8]));
      await pe.barrierAsync();
      assert.is(a.completed, 4 * 6 * 8);
      assert.is(a.messages, 24);
      a.free();
      assert.throws(() => a.offset, /^offset: this append buffer "of all" was freed/);
    });
  }
});

test("virtual PEs: a wait in vain ends", async () => {
  try {
    await simulateAsync({ pes: 2 }, async (pe) => {
      const a = await appendBufferAsync(pe, 8);
      if (pe.rank === 0) await a.waitUntilAsync({ bytes: 1 });
    });
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /_TIMEOUT|_RANK_LOST/);
  }
});

test.run();

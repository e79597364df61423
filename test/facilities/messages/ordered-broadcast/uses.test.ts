/** Ordered broadcasts as programs use and misuse them (programs/uses.program.ts), on threads and on virtual PEs. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { struct, u32 } from "../../../../src/index.ts";
import { orderedBroadcast } from "../../../../src/messages.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { createWorld, join } from "../../../../src/running/launch/world.ts";
import { simulateAsync } from "../../../../src/running/virtual/simulate-async.ts";
import { rounds } from "../../../support/long.ts";
import type { Args } from "./programs/uses.program.ts";
import { checkUses, type Said, STEPS } from "./support/expected.ts";
import { FAULTS, seedOf } from "./support/faults.ts";

const program = sibling("./programs/uses.program.js", import.meta.url);
const test = suite("ordered broadcasts, uses");

for (const [pes, count] of [
  [2, rounds(3000, 1_000_000)],
  [3, rounds(1000, 1_000_000)],
  [8, rounds(200, 1_000_000)],
] as const) {
  test(`${count} numbers of ${pes} members, who stop now and then`, async () => {
    const seed = seedOf();
    const args: Args = { part: "in order", count, seed };
    const all = await launch<[number, number, boolean]>(program, {
      pes,
      args,
      timeout: rounds(90_000, 3_600_000),
    });
    for (const one of all) assert.equal(one, [all[0]?.[0], 0, true], `seed ${seed}`);
  });
}

for (const pes of [2, 4]) {
  test(`misuse, ends that are freed, groups, lengths, ${pes} PEs`, async () => {
    checkUses(await launch<Said>(program, { pes, args: STEPS, timeout: 60_000 }), pes);
  });
}

for (const { part, waitTimeout, message, code } of FAULTS) {
  test(`${part}: the world ends`, async () => {
    try {
      await launch(program, { pes: 3, args: { part }, timeout: 30_000, ...(waitTimeout && { waitTimeout }) });
      assert.unreachable();
    } catch (error) {
      const { code: got, message: text } = error as Error & { code: string };
      assert.match(text, message);
      assert.match(`${got} ${text}`, new RegExp(code));
    }
  });
}

test("a member that returns ends it for all, at the same place", async () => {
  const all = await launch<[string, string]>(program, {
    pes: 4,
    args: { part: "member returns" },
    timeout: 30_000,
  });
  for (const [delivered, why] of all.slice(0, 3)) {
    assert.is(delivered, "0:3:1 1:3:2");
    assert.match(why, /^deliver: PE 3 has freed its end of the ordered broadcast/);
  }
});

test("a member frees its end in the middle of its message: nobody gets that, and the world goes on", async () => {
  const all = await launch<string[]>(program, { pes: 3, args: { part: "cut by the end" }, timeout: 30_000 });
  for (const [why, delivered] of all.slice(0, 2)) {
    assert.match(why as string, /PE 2 has freed its end/);
    assert.is(delivered, "");
  }
  assert.match(all[2]?.[0] as string, /^submitAsync: this ordered broadcast was freed/);
});

test("no room in the heap: all are told, and the world goes on", async () => {
  const all = await launch<[string, number]>(program, {
    ...{ pes: 3, args: { part: "no room" }, heapBytes: 2 ** 25, timeout: 30_000 },
  });
  for (const [said, got] of all) {
    assert.match(said, /_HEAP/);
    assert.is(got, 3);
  }
});

test("a PE that leaves its world at once ends it for the others, as far as they have it", async () => {
  const host = await createWorld({ pes: 3 });
  try {
    const pes = await Promise.all([0, 1, 2].map((rank) => join(host.ticket(rank))));
    const all = pes.map((pe) => orderedBroadcast(pe, { item: u32 }));
    const [first, second, third] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]];
    await second.submitAsync(5);
    for (const one of all) assert.is(await one.deliverAsync({ timeout: 5000 }), 5);
    pes[0]?.leave();
    for (const one of [second, third]) {
      const why = await one.deliverAsync({ timeout: 5000 }).then(String, String);
      assert.match(why, /deliverAsync: PE 0 has freed its end of the ordered broadcast/);
      assert.throws(() => one.submit(1), /submit: PE 0 has freed its end/);
    }
    assert.throws(() => first.submit(1), /this ordered broadcast was freed/);
    for (const pe of pes.slice(1)) pe.leave();
  } finally {
    host.close();
  }
});

test("virtual PEs: blocking forms say what to await, groups, and the end", async () => {
  const { results } = await simulateAsync({ pes: 6, nodes: 2, memoryBytes: 2 ** 28 }, async (pe) => {
    const b = orderedBroadcast(pe, { item: struct({ at: u32 }) });
    assert.throws(() => b.submit(1), /submit.*submitAsync\(\)/);
    assert.throws(() => b.deliver(), /deliver.*deliverAsync\(\)/);
    await b.submitAsync(pe.rank);
    const all: number[] = [];
    for (let i = 0; i < pe.size; i++) all.push((await b.deliverAsync()).at);
    if (pe.rank === 4) b.free();
    const why = pe.rank === 4 ? "" : await b.deliverAsync().then(String, String);
    return [all, why];
  });
  for (const [rank, [all, why]] of (results as [number[], string][]).entries()) {
    assert.equal(all, results[0]?.[0]);
    if (rank !== 4) assert.match(why, /PE 4 has freed its end of the ordered broadcast/);
  }
});

test("virtual PEs: a member alone, whose message is longer than all that there is room for", async () => {
  const { results } = await simulateAsync({ pes: 1 }, async (pe) => {
    const b = orderedBroadcast(pe, { slots: 2, partBytes: 64 });
    const lengths: number[] = [];
    const submitting = async () => {
      for (const length of [1, 5000, 0, 700]) await b.submitAsync(new Uint8Array(length));
    };
    const delivering = async () => {
      for (let i = 0; i < 4; i++) lengths.push((await b.deliverAsync()).length);
    };
    await Promise.all([delivering(), submitting()]);
    b.free();
    return lengths;
  });
  assert.equal(results, [[1, 5000, 0, 700]]);
});

test("virtual PEs: a mismatch ends the world", async () => {
  try {
    await simulateAsync({ pes: 3 }, async (pe) => {
      const b = orderedBroadcast(pe, { slots: pe.rank === 0 ? 2 : 4 });
      await b.submitAsync(Uint8Array.of(1));
      for (;;) await b.deliverAsync();
    });
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /an ordered broadcast among PE 0, 1, 2: .*with the same options/);
  }
});
test.run();

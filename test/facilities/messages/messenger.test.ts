/** Messages by rank and tag (programs/messenger.program.ts), on threads, over nodes and on virtual PEs. */

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { messenger } from "../../../src/messages.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { eachMpi, type Kind } from "../../machine/mpi/launchers.ts";
import { job } from "../../nodes/jobs.ts";
import { inTurn } from "../../nodes/some-of.ts";
import { rounds } from "../../support/long.ts";
import program, { type Args } from "./programs/messenger.program.ts";

const file = sibling("./programs/messenger.program.js", import.meta.url);
const test = suite("messengers");
const first = Math.floor(Math.random() * 2 ** 30);

const steps = (count: number, isAsync: boolean): Args[] =>
  Array.from({ length: count }, (_, i) => ({ part: "random", seed: first + i, count: 60, isAsync }));

for (const pes of [1, 2, 3, 5]) {
  test(`random messages on ${pes} threads`, async () => {
    for (const isAsync of [false, true]) {
      const args = steps(rounds(3, 500), isAsync);
      const all = await launch<number[]>(file, { pes, args, timeout: 120_000 });
      // each PE sends 60 in each round
      const sums = args.map((_, i) => all.reduce((sum, counts) => sum + (counts[i] as number), 0));
      assert.equal(
        sums,
        args.map(() => 60 * pes),
        `seed ${first}`,
      );
    }
  });
}

for (const [number, pes] of (
  [
    [1, 1],
    [2, 1],
  ] as const
).entries()) {
  const play = async (kind: Kind) => {
    const args = steps(rounds(3, 200), false);
    const order = { program: file.href, pes, args, timeout: 80_000, byMpi: pes[0] === 1 };
    const { said, code, text } = await job(kind, order);
    assert.is(code, 0, `seed ${first}: ${text}`);
    const all = said.flatMap(({ results }) => results as number[][]);
    for (const [i] of args.entries()) {
      const sum = all.reduce((total, counts) => total + (counts[i] as number), 0);
      assert.is(sum, 60 * all.length, `seed ${first}`);
    }
  };
  eachMpi(test, `random messages over nodes with ${pes.join(", ")} PEs`, play, inTurn(number));
}

test("random messages on virtual PEs", async () => {
  for (let i = 0; i < rounds(10, 2000); i++) {
    const seed = first + i;
    const args: Args = { part: "random", seed, count: 40, isAsync: true };
    const nodes = 1 + (i % 2);
    const { results } = await simulateAsync(
      { pes: 4, nodes, seed, jitter: 2, args, faults: [{ pe: i % 4, at: 5000, kind: "stall" }] },
      program,
    );
    assert.is(
      results.reduce<number>((sum, one) => sum + (one as number), 0),
      160,
      `seed ${seed}`,
    );
  }
});

test("on virtual PEs waits end at any time, however that is rounded", async () => {
  const { results } = await simulateAsync({ pes: 2, timeout: 10_000 }, async (pe) => {
    const m = messenger(pe);
    let ended = 0;
    for (let i = 1; i <= 300; i++) {
      const timeout = 0.001 + i / 3e5;
      if (pe.rank === 0) await m.receiveAsync({ from: 1, timeout }).catch(() => ended++);
    }
    if (pe.rank === 0) await m.sendAsync(1, new Uint8Array(1));
    else await m.receiveAsync({ from: 0 });
    return ended;
  });
  assert.equal(results, [300, 0]);
});

test("misuse is told, and changes nothing", async () => {
  const all = await launch<string[]>(file, { pes: 2, args: { part: "misuse" }, timeout: 30_000 });
  const expected = [
    ...Array<RegExp>(4).fill(/^send: expected a tag from 0 to 2147483647, got .*_USAGE/),
    ...Array<RegExp>(3).fill(/^send: expected a rank from 0 to 1, got .*_RANGE/),
    /^send: expected a typed array or a DataView .*_USAGE/,
    /^receive: unknown option 'tags'; did you mean 'tag'\?.*_USAGE/,
    /^receive: expected a rank from 0 to 1, got 2 .*_RANGE/,
    /^tag: expected a whole number from 0 to 2147483647, got -1/,
    /^receive: no such message came in time from PE \d.*_TIMEOUT/,
    /^receiveAsync: no such message came in time.*_TIMEOUT/,
    /aborted.*_ABORTED/,
    /^partBytes: expected a whole number from 64/,
    /^5 2.5$/,
    /^messages: these members were freed.*_STATE/,
  ];
  for (const texts of all) {
    assert.is(texts.length, expected.length);
    for (const [i, one] of expected.entries()) assert.match(texts[i] as string, one);
  }
});

test("sends before receives do not block each other; to oneself; very many in order", async () => {
  assert.equal(await launch(file, { pes: 3, args: { part: "head to head" }, timeout: 60_000 }), [0, 0, 0]);
  assert.equal(await launch(file, { pes: 1, args: { part: "self" }, timeout: 30_000 }), [7]);
  const count = rounds(20_000, 1_000_000);
  const [, last] = await launch(file, { pes: 2, args: { part: "rate", count }, timeout: 60_000 });
  assert.is(last, count - 1);
});

test("a PE that returns without having made it", async () => {
  const args: Args = { part: "never made" };
  const [real] = await launch<string>(file, { pes: 2, args, timeout: 30_000 });
  assert.match(real as string, /^receive(Async)?: PE 1 has left, or freed its messenger.*_RANK_LOST/);
  const { results } = await simulateAsync({ pes: 2, args }, program);
  assert.match(String(results[0]), /^receiveAsync: PE 1 has left, or freed its messenger.*_RANK_LOST/);
});

test("a sender that has returned", async () => {
  const [first] = await launch<[number, string]>(file, {
    pes: 2,
    args: { part: "returns" },
    timeout: 30_000,
  });
  assert.is(first?.[0], 9);
  assert.match(String(first?.[1]), /^receive: PE 1 has left, or freed its messenger.*_RANK_LOST/);
});

for (const [number, part] of (["head to head", "returns"] as const).entries()) {
  const play = async (kind: Kind) => {
    const order = { program: file.href, pes: [1, 1], args: { part }, timeout: 60_000, byMpi: true };
    const { said, code, text } = await job(kind, order);
    assert.is(code, 0, text);
    const all = said.toSorted((a, b) => a.node - b.node).flatMap(({ results }) => results as unknown[]);
    if (part === "head to head") assert.equal(all, [0, 0]);
    else assert.match(String((all[0] as unknown[])[1]), /^receive: PE 1 has left.*_RANK_LOST/);
  };
  eachMpi(test, `over nodes: ${part}`, play, inTurn(number, "parts"));
}
test.run();

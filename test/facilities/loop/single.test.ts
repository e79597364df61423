/** What one PE does for all: on virtual PEs, whatever the order of events, and on threads. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { MismatchError, type PE, RankLostError } from "../../../src/index.ts";
import { singleAsync } from "../../../src/loop.ts";
import { simulateAsync } from "../../../src/running/virtual/simulate-async.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Args } from "./programs/single.program.ts";
import { pick } from "./support/plays.ts";

const test = suite("what one PE does for all");
const module = sibling("./programs/single.program.js", import.meta.url);
const run = <T>(pes: number, args: Args): Promise<T[]> => launchPooled<T>(module, { pes, args, waitTimeout: 60_000 });

const SEEDS = rounds(150, 30_000);
test(`${SEEDS} seeds of virtual PEs: one runs the body, all get its value or its error`, async () => {
  const times = 5;
  for (let seed = SEED; seed < SEED + SEEDS; seed++) {
    const pes = 1 + pick(6, seed, 1);
    const ran: number[] = [];
    const { results } = await simulateAsync({ pes, seed, jitter: pick(4, seed, 2) }, async (pe) => {
      const told: string[] = [];
      for (let k = 0; k < times; k++) {
        await pe.work(pick(2000, seed, k, 3, pe.rank));
        const body = () => {
          ran.push(k);
          if (pick(4, seed, k, 4) === 0) throw new RangeError(`thrown by ${pe.rank}`);
          return { by: pe.rank, k };
        };
        const value = await singleAsync(pe, body).catch((error: Error) => error.message);
        told.push(JSON.stringify(value));
      }
      return told;
    });
    assert.equal(ran, [0, 1, 2, 3, 4], `seed ${seed}`);
    for (const told of results) assert.equal(told, results[0], `seed ${seed}`);
  }
});

test("a virtual PE that is lost ends it at all others", async () => {
  for (let seed = 0; seed < 30; seed++) {
    const crash = { pe: pick(3, seed, 1), at: pick(3000, seed, 2), kind: "crash" as const };
    const program = async (pe: PE) => {
      for (let k = 0; k < 50; k++) await singleAsync(pe, () => k);
      return "all";
    };
    const { results } = await simulateAsync({ pes: 3, seed, jitter: 2, faults: [crash], onLoss: "continue" }, (pe) =>
      program(pe).catch((error: Error) => error.name),
    );
    for (const [rank, ended] of results.entries()) {
      if (rank !== crash.pe) assert.is(ended, RankLostError.name, `seed ${seed}: ${results}`);
    }
  }
});

test("over nodes it is refused", async () => {
  const { results } = await simulateAsync({ pes: 4, nodes: 2, seed: 1 }, async (pe) => {
    const told = await singleAsync(pe, () => {}).catch((error: Error) => error.message);
    const group = (await pe.splitAsync(pe.node)) as PE;
    return [told, await singleAsync(group, () => pe.node)];
  });
  for (const [rank, [told, value]] of (results as [string, number][]).entries()) {
    assert.match(told, /^singleAsync: expected a group of one node, got one over several/);
    assert.is(value, rank >> 1);
  }
});

const ROUNDS = rounds(400, 50_000);
for (const pes of [1, 2, 3, 6]) {
  test(`${ROUNDS} rounds of ${pes} threads: one runs the body, all get its value or its error`, async () => {
    const own = await run<number>(pes, { kind: "random", seed: SEED + pes, rounds: ROUNDS });
    assert.ok(own.reduce((a, b) => a + b) >= ROUNDS, `${own}`);
  });
}

test("the first that comes runs it", async () => {
  for (const [first, told] of await run<[number, string]>(2, { kind: "late" })) {
    assert.is(first, 1);
    assert.match(told, /^single of 1 iterations: dynamic: chunks of 1, as no chunk is said/);
  }
});

test("a thread that is lost in the body; one that makes another call, or has other options", async () => {
  for (const [kind, error] of [
    ["lost", RankLostError],
    ["call", MismatchError],
    ["options", MismatchError],
  ] as const) {
    await launchPooled(module, { pes: 3, args: { kind } satisfies Args, waitTimeout: 60_000 }).then(
      () => assert.unreachable(),
      (thrown: Error) => {
        assert.instance(thrown, error, thrown.stack);
        if (error === MismatchError) assert.match(thrown.message, /single \(dynamic/);
      },
    );
  }
});

test("misuse is refused, and the group goes on", async () => {
  assert.equal(await run(2, { kind: "misuse" }), [7, 7]);
});

test.run();

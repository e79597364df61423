/** Loops on threads, with more PEs than there are CPUs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch, MismatchError, RankLostError, TimeoutError } from "../../../src/index.ts";
import type { LoopOptions } from "../../../src/loop.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Args } from "./programs/threads.program.ts";

const test = suite("loops on threads");
const module = sibling("./programs/threads.program.js", import.meta.url);
const run = <T>(pes: number, args: Args): Promise<T[]> => launchPooled<T>(module, { pes, args, waitTimeout: 60_000 });

const LOOPS = rounds(600, 100_000);
for (const pes of [2, 3, 6]) {
  test(`${LOOPS} loops of ${pes} PEs: every index exactly once, every error at all`, async () => {
    const errors = await run<number>(pes, { kind: "random", seed: SEED + pes, loops: LOOPS });
    assert.ok((errors[0] as number) > LOOPS / 20, `${errors}`);
  });
}

test("loops that do not wait: the barrier comes with the next loop", async () => {
  const loops = rounds(1000, 100_000);
  for (const pes of [1, 2, 4]) assert.equal(await run(pes, { kind: "no-wait", loops }), new Array(pes).fill(loops));
});

test("results are the same for 1, 2 and 5 PEs and all schedules", async () => {
  const all = await Promise.all([1, 2, 5].map((pes) => run<[number, string]>(pes, { kind: "results" })));
  for (const [different, text] of all.flat()) assert.equal([different, text], [1, all[0]?.[0]?.[1]]);
  assert.match(all[0]?.[0]?.[1] as string, /^\[9\.\d+,4999,"a0b1c2",2499\.5,12497500\]$/);
});

test("a body of ranges gets chunks as asked for, under every schedule", async () => {
  for (const pes of [1, 2, 5]) assert.equal(await run(pes, { kind: "chunks" }), new Array(pes).fill([]));
});

test("2^31 iterations", async () => {
  for (const [sums, stepped] of await run<boolean[]>(2, { kind: "large" })) assert.equal([sums, stepped], [true, true]);
});

test("progress is told at most every 100 ms, and exactly at the end", async () => {
  const all = await run(2, { kind: "progress" });
  assert.equal(all, new Array(2).fill([true, true, true, 400]));
});

test("a timeout at a PE that waits ends the loop at all, and the group goes on", async () => {
  const all = await run<[string, number]>(3, { kind: "late" });
  for (const [told, sum] of all) {
    assert.match(told, /^TimeoutError: forEach: expected the loop to end within 50 ms; \d of 3 iterations are over/);
    assert.is(sum, 3);
  }
});

async function thrownBy(call: () => Promise<unknown>): Promise<Error> {
  try {
    await call();
  } catch (error) {
    return error as Error;
  }
  return new Error("nothing was thrown");
}

test("a PE that stays in its body for as long again ends the world", async () => {
  const error = await thrownBy(() =>
    launch(module, { pes: 2, args: { kind: "stuck" } satisfies Args, timeout: 60_000 }),
  );
  assert.instance(error, TimeoutError);
  assert.match(error.message, /forEach/);
});

test("other loops at other PEs are a mismatch", async () => {
  const error = await thrownBy(() => run(2, { kind: "mismatch" }));
  assert.instance(error, MismatchError);
  assert.match(error.message, /PE 0 called forEach of 10 iterations \(steal\); PE 1 called forEach of 11 iterations/);
});

test("loops with other options at other PEs are a mismatch that names them", async () => {
  const cases: readonly (readonly [options: readonly LoopOptions[], told: readonly string[]])[] = [
    [
      [{ schedule: "dynamic" }, { schedule: "guided" }],
      ["(dynamic)", "(guided)"],
    ],
    [
      [{ chunk: 7 }, {}],
      ["(steal, chunk 7)", "(steal)"],
    ],
    [
      [{ chunk: 5000 }, { chunk: 100 }],
      ["(steal, chunk > 2047)", "(steal, chunk 100)"],
    ],
    [
      [{ wait: false }, {}],
      ["(steal, wait: false)", "(steal)"],
    ],
    [
      [{ schedule: "static", weights: [1, 2] }, { schedule: "static" }],
      ["(static, range, array, body or ordered part #", "(static)"],
    ],
  ];
  for (const [options, told] of cases) {
    const error = await thrownBy(() => run(2, { kind: "options", options }));
    assert.instance(error, MismatchError, `${JSON.stringify(options)}: ${error}`);
    for (const [pe, words] of told.entries()) {
      assert.ok(error.message.includes(`PE ${pe} called forEach of 10 iterations ${words}`), error.message);
    }
  }
});

for (const kind of ["ranges", "rooms", "tables"] as const) {
  test(`other ${kind} at other PEs are a mismatch`, async () => {
    assert.instance(await thrownBy(() => run(2, { kind })), MismatchError);
  });
}

test("no iterations, under every schedule", async () => {
  for (const pes of [1, 3]) assert.equal(await run(pes, { kind: "empty" }), new Array(pes).fill(true));
});

test("a signal that was aborted before at one PE", async () => {
  assert.equal(await run(3, { kind: "aborted before" }), new Array(3).fill(["AbortedError", 3]));
});

test("a PE that is lost in its body ends the loop at all", async () => {
  const error = await thrownBy(() =>
    launchPooled(module, { pes: 3, args: { kind: "lost" } satisfies Args, waitTimeout: 60_000 }),
  );
  assert.instance(error, RankLostError);
});

test("an abort by a signal between chunks of an Async loop", async () => {
  for (const told of await run<unknown[]>(2, { kind: "signal" })) {
    assert.equal(told, ["AbortedError", 'forEachAsync: the loop was aborted: "eno', true]);
  }
});

test("misuse is refused with what is expected; the group goes on", async () => {
  const [told] = await run<string>(2, { kind: "misuse" });
  assert.match(
    told as string,
    /^forEach of 10 iterations: steal, as nothing is said: chunks that take some 10 us, \d+ iteration/,
  );
});

test.run();

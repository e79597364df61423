/** Tasks on threads, with more PEs than there are CPUs. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import {
  bytes,
  createWorld,
  f64,
  join,
  launch,
  type PE,
  RankLostError,
  StateError,
  struct,
  TimeoutError,
  UsageError,
  u32,
} from "../../../src/index.ts";
import { tasks } from "../../../src/loop.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Args } from "./programs/tasks.program.ts";
import { errorOf } from "./support/trees.ts";

const test = suite("tasks on threads");
const LARGE = struct({ a: f64, b: f64, c: f64, d: f64 });
const module = sibling("./programs/tasks.program.js", import.meta.url);
const run = <T>(pes: number, args: Args): Promise<T[]> => launchPooled<T>(module, { pes, args, waitTimeout: 60_000 });

const RUNS = rounds(250, 50_000);
for (const pes of [1, 2, 5]) {
  test(`${RUNS} trees, ${pes} PEs: each task exactly once, or the error at all`, async () => {
    const thrown = await run<number>(pes, { kind: "random", seed: SEED + pes, runs: RUNS });
    assert.ok((thrown[0] as number) > RUNS / 20, `${thrown}`);
    assert.equal(thrown, new Array(pes).fill(thrown[0]));
  });
}

test("stores that are atomic, as where the processor does not keep their order", async () => {
  process.env.TUNDISH_ORDERED_STORES = "off";
  try {
    const options = {
      pes: 3,
      args: { kind: "random", seed: SEED, runs: rounds(80, 40_000) } satisfies Args,
      waitTimeout: 60_000,
    };
    await launch(module, options);
  } finally {
    delete process.env.TUNDISH_ORDERED_STORES;
  }
});

test("arguments of a type: what comes is what a typed array would hold, stolen, run at once, or neither", async () => {
  for (const pes of [1, 3]) {
    const counts = await run<number>(pes, { kind: "typed" });
    assert.equal(counts, new Array(pes).fill(3000 * pes));
  }
});

test("more tasks than wait: the others run at once", async () => {
  for (const pes of [1, 3]) assert.equal(await run(pes, { kind: "wide" }), new Array(pes).fill([20_000 * pes, true]));
});

test("queens", async () => {
  for (const pes of [1, 2, 4])
    assert.equal(await run(pes, { kind: "queens" }), new Array(pes).fill([2, 10, 4, 40, 92]));
});

async function thrownBy(args: Args, more: { readonly waitTimeout?: number } = {}): Promise<Error> {
  const error = await launch(module, { pes: 3, args, timeout: 60_000, ...more }).then(
    () => new Error("nothing was thrown"),
    (one: unknown) => one as Error,
  );
  return error;
}

test("what a source throws is thrown at all, and the group goes on", async () => {
  assert.equal(await run(3, { kind: "throws" }), new Array(3).fill(["TypeError", "in the source", 3]));
});

test("collectives and loops in a handler are refused at all", async () => {
  const told = "A collective inside an op, the bo";
  const expected = [told.slice(0, 32), told.slice(0, 32), 3];
  assert.equal(await run(3, { kind: "nested" }), new Array(3).fill(expected));
});

test("a PE that is lost in a task ends the run", async () => {
  const error = await thrownBy({ kind: "exits" });
  assert.match(error.message, /PE 1 ended with exit code 3/);
  assert.instance(error, RankLostError);
});

test("a PE that never comes: the others do not wait for ever", async () => {
  const error = await thrownBy({ kind: "stays" }, { waitTimeout: 300 });
  assert.instance(error, TimeoutError);
  assert.match(error.message, /run/);
});

/** A world of one in this thread. */
async function alone(body: (pe: PE) => Promise<void>): Promise<void> {
  using host = await createWorld({ pes: 1, heapBytes: 2 ** 24 });
  using pe = await join(host.ticket(0));
  await body(pe);
}

test("what is refused, and says how to mend it", () =>
  alone(async (pe) => {
    const loose = tasks as (pe: PE, handlers: unknown) => ReturnType<typeof tasks>;
    for (const [handlers, told] of [
      [{}, /^tasks: expected handlers, as in/],
      [null, /^tasks: expected handlers/],
      [{ one: 1 }, /^tasks: one: expected a function that does not await, or \{ args, run \} with one, got 1/],
      [{ one: { args: u32 } }, /^tasks: one: expected a function that does not await.*got undefined/],
      [{ one: { args: 5, run() {} } }, /^tasks: one: args: expected the type of numbers.*got 5/],
      [{ one: { args: bytes(3), run() {} } }, /without bytes\(n\), of at most 56 bytes, got bytes\(3\)/],
      [{ one: { args: struct({ x: LARGE, y: LARGE }), run() {} } }, /of at most 56 bytes, got .* of 64 bytes/],
      [{ one: async () => {} }, /^tasks: one: expected a function that does not await/],
      [{ one(_a: 1, _b: 1, _c: 1, _d: 1, _e: 1, _f: 1, _g: 1, _h: 1) {} }, /at most 7 numbers, got 8/],
    ] as const) {
      const error = errorOf(() => loose(pe, handlers));
      assert.instance(error, UsageError);
      assert.match((error as Error).message, told);
    }
    const all = tasks(pe, { one(_a: number, _b: number) {}, promise: () => Promise.resolve() as never });
    const spawn = all.spawn as unknown as Record<string, (...args: unknown[]) => void>;
    assert.match(String(errorOf(() => all.spawn.one(1, 2))), /outside of one/);
    assert.instance(
      errorOf(() => all.spawn.one(1, 2)),
      StateError,
    );
    for (const [args, told] of [
      [[1], /^spawn\.one: expected 2 numbers, got 1(?!,)/],
      [[1, 2, 3], /got 1, 2, 3/],
      [[1, "2"], /^spawn\.one: expected 2 numbers, got 1, "2"/],
      [[1n, 2], /^spawn\.one: expected 2 numbers, got 1n, 2/],
    ] as const) {
      const error = await all.runAsync(() => spawn.one?.(...args)).catch((one: unknown) => one as Error);
      assert.instance(error, UsageError);
      assert.match((error as Error).message, told);
    }
    const promised = await all.runAsync((s) => s.promise()).catch((one: unknown) => one as Error);
    assert.match((promised as Error).message, /^tasks: the handler promise returned a promise/);
    const source = await all.runAsync((async () => {}) as never).catch((one: unknown) => one as Error);
    assert.match((source as Error).message, /^runAsync: expected a source/);
    const nested = tasks(pe, {
      again() {
        all.runAsync().catch((error: unknown) => assert.match((error as Error).message, /during runAsync/));
      },
    });
    await nested.runAsync((s) => s.again());
    assert.is(await pe.allreduceAsync(2, "sum"), 2, "the world goes on");
  }));

test.run();

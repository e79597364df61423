/** Loops outside the PEs, of open worlds. */
import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { BroadcastChannel } from "node:worker_threads";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import {
  AbortedError,
  ModuleError,
  type OpenWorld,
  open,
  RankLostError,
  TimeoutError,
  UsageError,
  WorldClosedError,
} from "../../../src/index.ts";
import {
  type FailedIterations,
  forEach,
  forRange,
  functionsOf,
  mapEach,
  reduceEach,
  scanEach,
  share,
} from "../../../src/loop.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";

const module = sibling("./bodies.program.js", import.meta.url);
const bodies = functionsOf<typeof import("./bodies.program.ts")>(module);
const quick = sibling("./quick.program.js", import.meta.url);
const timeout = 60_000;

async function failure(promise: Promise<unknown>): Promise<Error & { readonly iterations?: FailedIterations }> {
  const nothing = await promise.then(
    () => null,
    (error: Error) => error,
  );
  if (nothing === null) assert.unreachable("it ended well");
  return nothing as Error;
}

const using = (pes: number, test: (world: OpenWorld) => Promise<void>) => async (): Promise<void> => {
  const world = await open({ pes, timeout });
  try {
    await test(world);
  } finally {
    await world.close();
  }
};

/** Resolves when a loop whose body is `waits` or `forever` has begun. */
async function begun(words: Int32Array): Promise<void> {
  while (Atomics.load(words, 1) === 0) await delay(2);
}

/** The threads of its PEs, as each has some iterations. */
const threadsOf = (world: OpenWorld): Promise<number[]> =>
  mapEach(world, world.size, bodies.thread, { schedule: "static" });

const wordsOf = (): Int32Array => share(Int32Array, 2);
const test = suite("loops of open worlds");

for (const pes of [1, 2, 5]) {
  test(
    `${pes} PEs: results in order, of ranges and arrays`,
    using(pes, async (world) => {
      assert.is(await forEach(world, 10, bodies.square), undefined);
      assert.is(await forEach(world, 10, bodies.square, { reduce: "sum" }), 285);
      assert.is(await reduceEach(world, 11, bodies.square, "max", { initial: 7 }), 100);
      assert.is(await reduceEach(world, 0, bodies.square, "sum"), 0);
      assert.equal(await mapEach(world, { begin: 10, end: 4, step: -2 }, bodies.square), [100, 64, 36]);
      assert.equal(await mapEach(world, ["tin", "lead"], bodies.labelled, { args: { mark: "-" } }), [
        "tin-0",
        "lead-1",
      ]);
      assert.equal(await mapEach(world, 3, bodies.parity), [{ odd: false }, { odd: true }, { odd: false }]);
      assert.equal(await mapEach(world, 0, bodies.parity), []);
      const into = share(Float64Array, 4);
      const same = await mapEach(world, Float64Array.of(1, 2, 3), bodies.scaled, { into, args: { factor: 10 } });
      assert.ok(same === into);
      assert.equal([...into], [10, 20, 30, 0]);
      const sums = share(Float64Array, 3000);
      assert.ok((await scanEach(world, 3000, bodies.square, "sum", { into: sums, schedule: "dynamic" })) === sums);
      // 1 + 4 + … + i^2
      assert.ok(sums.every((one, i) => one === (i * (i + 1) * (2 * i + 1)) / 6));
      const few = { into: share(Int32Array, 5), args: { factor: 2 }, exclusive: true, initial: 5 };
      assert.equal([...(await scanEach(world, Float64Array.of(1, 2, 3), bodies.scaled, "sum", few))], [5, 7, 11, 0, 0]);
      const counts = share(Int32Array, 1001);
      await forRange(world, { begin: 1, end: 1000, step: 3 }, bodies.countRange, { args: counts });
      assert.equal(
        [...counts],
        Array.from(counts, (_, i) => (i % 3 === 1 && i < 1000 ? 1 : 0)),
      );
    }),
  );
}

test(
  "every index exactly once, under seeded schedules with throws, of callers that do not wait for each other",
  using(3, async (world) => {
    const one = fc.record({
      n: fc.integer({ min: 0, max: 300 }),
      schedule: fc.constantFrom("static", "dynamic", "guided", "steal", "auto"),
      chunk: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
      at: fc.integer({ min: -300, max: 300 }),
    });
    const property = fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 8 }), async (loops) => {
      await Promise.all(
        loops.map(async ({ n, schedule, chunk, at }) => {
          const counts = share(Int32Array, n);
          const options = { schedule, chunk, args: { counts } } as const;
          await forEach(world, n, bodies.count, options);
          assert.ok(counts.every((count) => count === 1));
          const sum = reduceEach(world, n, bodies.failsAt, "sum", { schedule, chunk, args: { at } });
          if (at < 0 || at >= n) return assert.is(await sum, (n * (n - 1)) / 2);
          const error = await failure(sum);
          assert.instance(error, RangeError);
          assert.is(error.message, `no ${at}`);
          const { rank, begin, end } = error.iterations as FailedIterations;
          assert.ok(rank >= 0 && rank < 3 && begin <= at && at < end, `${rank} ${begin} ${end}`);
        }),
      );
    });
    await fc.assert(property, { numRuns: rounds(60, 20_000), seed: SEED });
  }),
);

test(
  `${rounds(800, 100_000)} short loops, some after a pause: all by the same threads`,
  using(2, async (world) => {
    const threads = new Set(await threadsOf(world));
    assert.is(threads.size, 2);
    for (let i = 0; i < rounds(800, 100_000); i++) {
      assert.is(await reduceEach(world, 5, bodies.square, "sum"), 30);
      // about as long as a session lingers
      if (i % 200 === 0) await delay(9 + ((i / 200) % 4));
    }
    for (const id of await threadsOf(world)) assert.ok(threads.has(id));
  }),
);

test(
  "elements and args are those of the call, whatever becomes of them later",
  using(2, async (world) => {
    const [words, args] = [["a", "b"], { mark: "-" }];
    const labels = mapEach(world, words, bodies.labelled, { args });
    args.mark = "!";
    words[0] = "z";
    words.push("c");
    assert.equal(await labels, ["a-0", "b-1"]);
    const range = { begin: 2, end: 4, step: 1 };
    const squares = mapEach(world, range, bodies.square);
    range.end = 9;
    assert.equal(await squares, [4, 9]);
    // what threads share stays shared
    const counts = share(Int32Array, 3);
    await forEach(world, 3, bodies.count, { args: { counts } });
    assert.equal([...counts], [1, 1, 1]);
  }),
);

test(
  "the error of a body comes back as it is, and the PEs stay",
  using(2, async (world) => {
    const before = await threadsOf(world);
    const error = await failure(
      forEach(world, { begin: 100, end: 0, step: -1 }, bodies.failsAt, {
        schedule: "dynamic",
        chunk: 5,
        args: { at: 41 },
      }),
    );
    assert.instance(error, RangeError);
    assert.is((error as { readonly index?: number }).index, 41);
    const { rank, begin, end } = error.iterations as FailedIterations;
    // in one of the chunks that the PE has taken at once
    assert.ok(begin >= 45 && end <= 40 && begin % 5 === 0 && end % 5 === 0, `${begin} to ${end}`);
    assert.ok(rank === 0 || rank === 1);
    assert.match(error.stack as string, /at failsAt \(.*bodies\.program/);
    assert.is(await failure(forEach(world, 5, bodies.throwsPlain)), "plain" as never);
    const blocks = await failure(
      reduceEach(world, 5000, bodies.failsAt, "sum", { reproducible: true, args: { at: 4321 } }),
    );
    const found = blocks.iterations as FailedIterations;
    assert.ok(found.begin <= 4321 && 4321 < found.end, JSON.stringify(found));
    assert.equal(await threadsOf(world), before);
  }),
);

test("a PE that exits in a body is lost; the next loop has new PEs", async () => {
  const world = await open({ pes: 2, timeout });
  const [lost, after] = await Promise.all([
    failure(forEach(world, 8, bodies.exits)),
    reduceEach(world, 4, bodies.square, "sum"),
  ]);
  assert.instance(lost, RankLostError);
  assert.match(lost.message, /exit code 7/);
  assert.is(after, 14);
  await world.close();
});

test("in a world that goes on without a lost PE, its loops say so", async () => {
  const world = await open({ pes: 3, timeout, onLoss: "continue" });
  assert.instance(await failure(forEach(world, 9, bodies.exits, { schedule: "static" })), RankLostError);
  assert.instance(await failure(forEach(world, 9, bodies.square)), RankLostError);
  await world.close();
});

test(
  "an abort ends a loop that waits at once, and one that runs after its chunks; others are not concerned",
  using(2, async (world) => {
    const words = wordsOf();
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = forEach(world, 1e6, bodies.waits, { args: words, signal: running.signal });
    const second = failure(forEach(world, 10, bodies.square, { signal: waiting.signal }));
    const third = reduceEach(world, 4, bodies.square, "sum");
    await begun(words);
    waiting.abort("not needed");
    const never = await second;
    assert.instance(never, AbortedError);
    assert.is(never.cause, "not needed");
    running.abort(new Error("enough"));
    Atomics.store(words, 0, 1);
    Atomics.notify(words, 0);
    const ended = await failure(first);
    assert.instance(ended, AbortedError);
    assert.is((ended.cause as Error).message, "enough");
    assert.is(await third, 14);
    assert.instance(await failure(forEach(world, 4, bodies.square, { signal: AbortSignal.abort() })), AbortedError);
  }),
);

test(
  "a loop that is aborted behind a run never begins",
  using(2, async (world) => {
    const counts = share(Int32Array, 4);
    const run = world.run(sibling("./sleeping.program.js", import.meta.url));
    const controller = new AbortController();
    const loop = failure(forEach(world, 4, bodies.count, { args: { counts }, signal: controller.signal }));
    await delay(5);
    controller.abort();
    assert.instance(await loop, AbortedError);
    assert.instance(await failure(forEach(world, 4, bodies.count, { args: { counts }, timeout: 20 })), TimeoutError);
    assert.equal(await run, [0, 1]);
    assert.is(await reduceEach(world, 4, bodies.square, "sum"), 14);
    assert.equal([...counts], [0, 0, 0, 0]);
  }),
);

test(
  "an abort, and a timeout, end a loop whose module is never loaded; the PEs stay",
  using(2, async (world) => {
    const before = await threadsOf(world);
    const { never } = functionsOf<typeof import("./endless.program.ts")>(
      sibling("./endless.program.js", import.meta.url),
    );
    const channel = new BroadcastChannel("tundish-test-endless");
    const isLoading = new Promise((resolve) => {
      channel.onmessage = resolve;
    });
    const controller = new AbortController();
    const aborted = failure(forEach(world, 10, never, { signal: controller.signal }));
    await isLoading;
    channel.close();
    controller.abort("enough");
    assert.instance(await aborted, AbortedError);
    assert.is((await aborted).cause, "enough");
    assert.instance(await failure(forEach(world, 10, never, { timeout: 50 })), TimeoutError);
    assert.equal(await threadsOf(world), before);
  }),
);

test("a timeout ends a loop between its chunks; a body that does not return, with the PEs", async () => {
  const world = await open({ pes: 2, timeout });
  const before = await threadsOf(world);
  const late = await failure(forEach(world, 1e6, bodies.sleeps, { timeout: 100 }));
  assert.instance(late, TimeoutError);
  assert.match(late.message, /^forEach: expected the loop to end within 100 ms/);
  assert.equal(await threadsOf(world), before);
  const stuck = await failure(forEach(world, 2, bodies.forever, { timeout: 100, args: wordsOf() }));
  assert.instance(stuck, TimeoutError);
  assert.is(await reduceEach(world, 4, bodies.square, "sum"), 14);
  await world.close();
});

test(
  "loops and runs come in the order of the calls, also during a session",
  using(2, async (world) => {
    const order: string[] = [];
    const counts = share(Int32Array, 100);
    const loop = async (name: string): Promise<void> => {
      await forEach(world, 100, bodies.count, { args: { counts } });
      order.push(name);
    };
    const run = async (): Promise<void> => {
      await world.run(sibling("./sleeping.program.js", import.meta.url));
      order.push("run");
    };
    await loop("a");
    // the PEs may not have taken the order of a loop when a run asks for room
    for (let i = 0; i < 20; i++) await Promise.all([loop("d"), world.run(quick), loop("d")]);
    order.length = 1;
    await Promise.all([loop("b"), run(), loop("c"), run()]);
    assert.is(order[0], "a");
    assert.equal([...order].sort(), ["a", "b", "c", "run", "run"]);
    assert.ok(counts.every((count) => count === 43));
  }),
);

test("progress: at most every 100 ms, and exactly at the end; what it throws ends the loop", async () => {
  const world = await open({ pes: 2, timeout });
  const told: (readonly [number, number])[] = [];
  await forEach(world, 300, bodies.sleeps, { onProgress: (done, total) => told.push([done, total]) });
  assert.equal(told.at(-1), [300, 300]);
  assert.ok(
    told.length >= 2 &&
      told.slice(0, -1).every(([done, total], i) => done < 300 && total === 300 && done >= (told[i - 1]?.[0] ?? 0)),
  );
  const error = await failure(
    forEach(world, 1e6, bodies.sleeps, {
      onProgress() {
        throw new RangeError("of the caller");
      },
    }),
  );
  assert.instance(error, RangeError);
  assert.is(await reduceEach(world, 4, bodies.square, "sum"), 14);
  await world.close();
});

test("a world that is closed", async () => {
  const world = await open({ pes: 2, timeout });
  const words = wordsOf();
  const loop = failure(forEach(world, 1e6, bodies.waits, { args: words }));
  const waiting = failure(forEach(world, 10, bodies.square));
  await begun(words);
  await world.close();
  for (const error of [await loop, await waiting, await failure(forEach(world, 10, bodies.square))]) {
    assert.instance(error, WorldClosedError);
  }
});

test(
  "misuse is refused with what is expected; the PEs stay",
  using(2, async (world) => {
    const before = await threadsOf(world);
    const anyhow = forEach as unknown as (...given: unknown[]) => Promise<unknown>;
    const refuse = async (expected: RegExp, ...given: unknown[]): Promise<void> => {
      const error = await failure(anyhow(...given));
      assert.instance(error, UsageError);
      assert.match(error.message, expected);
    };
    await refuse(
      /forEach: expected a function of a module, got .*Export it from a module.*functionsOf\(/s,
      world,
      10,
      (i: number) => i,
    );
    await refuse(/In the program of a PE/, 10, () => {});
    await refuse(/whole number of iterations/, world, -1, bodies.square);
    for (const over of ["10", null, { begin: 1, count: 2 }, new Set([1])]) {
      await refuse(
        /what it runs over \(a number of iterations,.*an array\).*world before it; got/,
        over,
        bodies.square,
      );
    }
    await refuse(/expected a number of iterations,.*got "10"/, world, "10", bodies.square);
    await refuse(/unknown option 'chunks'; did you mean 'chunk'/, world, 10, bodies.square, { chunks: 2 });
    await refuse(/unknown option 'wait'/, world, 10, bodies.square, { wait: false });
    await refuse(/PEs cannot get a function/, world, 10, bodies.square, { reduce: (a: number) => a });
    await refuse(/expected reduce with it/, world, 10, bodies.square, { initial: 2 });
    await refuse(/weights: expected 2 numbers/, world, 10, bodies.square, { schedule: "static", weights: [1] });
    await refuse(/args: expected a value that can be cloned/, world, 10, bodies.square, { args: () => {} });
    await refuse(/that does not await/, world, 10, bodies.later);
    const map = mapEach as unknown as typeof anyhow;
    const into = await failure(map(world, 10, bodies.square, { into: new Float64Array(10) }));
    assert.match(
      into.message,
      /into: expected .* 10 elements that all PEs see, got a Float64Array of 10 that is not shared\. Make it before: share\(/,
    );
    assert.match((await failure(map(world, 10, bodies.functions))).message, /expected values that can be cloned/);
    const scan = scanEach as unknown as typeof anyhow;
    const scanned = async (op: unknown, options: unknown) =>
      (await failure(scan(world, 10, bodies.square, op, options))).message;
    assert.match(await scanned("sum", undefined), /scanEach: into: expected .* 10 numbers that all PEs see/);
    const bigints = share(BigInt64Array, 10);
    assert.match(await scanned("sum", { into: bigints }), /expected .* 10 numbers .*, got a BigInt64Array of 10\./);
    const shared = share(Float64Array, 10);
    assert.match(await scanned("sum", { into: shared, exclusive: 1 }), /exclusive: expected true or false, got 1/);
    assert.match(await scanned("mean", { into: shared }), /op/);
    assert.match(await scanned((a: number) => a, { into: shared }), /PEs cannot get a function/);
    const missing = await failure(anyhow(world, 10, (functionsOf(module) as { readonly squares?: unknown }).squares));
    assert.instance(missing, ModuleError);
    assert.match(missing.message, /expected an exported function squares.*functions that it exports: .*square/);
    const gone = await failure(anyhow(world, 10, (functionsOf("./nowhere.js") as { readonly x?: unknown }).x));
    assert.instance(gone, ModuleError);
    const { never } = functionsOf<typeof import("./broken.program.ts")>(
      sibling("./broken.program.js", import.meta.url),
    );
    const broken = await failure(forEach(world, 10, never));
    assert.instance(broken, TypeError);
    assert.is(broken.message, "broken on purpose");
    assert.equal(await threadsOf(world), before);
  }),
);

test("share: one copy, the same array when it is shared; functionsOf: names alone", () => {
  const shared = share(Uint16Array.of(1, 2, 3));
  assert.instance(shared, Uint16Array);
  assert.equal([...shared], [1, 2, 3]);
  assert.ok(share(shared) === shared);
  assert.is(share(BigInt64Array, 2).length, 2);
  assert.throws(() => share([1] as never), /share: expected a typed array, or its class and a length/);
  assert.throws(() => share(Float64Array, -1), /length: expected a whole number/);
  assert.throws(() => functionsOf(5 as never), /functionsOf: expected the URL or path of a module/);
  const { square } = bodies;
  assert.ok(square === bodies.square && square.name === "square");
});

test("without a world: one that the library keeps, until it is closed; the process ends", async () => {
  const file = fileURLToPath(sibling("./alone.program.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout });
  assert.equal(JSON.parse(stdout), { counts: 150, sum: 285, squares: [0, 1, 4, 9, 16], isNew: true });
});

test("a module of bodies that makes a loop when it is imported is refused at the PEs", async () => {
  const file = fileURLToPath(sibling("./unguarded.program.js", import.meta.url));
  const error = await failure(promisify(execFile)(process.execPath, [file], { timeout }));
  assert.match(
    (error as { readonly stderr?: string }).stderr as string,
    /calls mapEach\(\) outside .*isEntry\(import\.meta\)/s,
  );
});

test.run();

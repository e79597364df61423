/** Whatever awaits the library settles while the timers and clocks of its thread are fake. */
import { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { createWorld, join, launch, open } from "../../../../src/index.ts";
import { simulateAsync } from "../../../../src/running/virtual/simulate-async.ts";
import { awaitAll } from "./awaiting.program.ts";
import { FACILITIES } from "./facilities.ts";
import { FAKES, type FakeName } from "./fakes.ts";

const program = sibling("./awaiting.program.js", import.meta.url);
const count = Object.keys(FACILITIES).length;
const { setTimeout, clearTimeout } = globalThis;

/** Enough on any machine. */
const LIMIT_MS = 120_000;

/** What it gives while the timers of this thread are fake. */
async function faked<T>(fakes: FakeName, body: () => Promise<T>): Promise<T> {
  const restore = await FAKES[fakes]();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("it is not settled")), LIMIT_MS);
  });
  try {
    return await Promise.race([body(), late]);
  } finally {
    clearTimeout(timer);
    restore();
  }
}

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "nothing",
    (error: { code?: unknown }) => error.code,
  );

const test = suite("fake timers");

for (const fakes of Object.keys(FAKES) as FakeName[]) {
  test(`of ${fakes}: virtual PEs`, async () => {
    const run = () => simulateAsync({ pes: 2, memoryBytes: 2 ** 26 }, awaitAll);
    assert.equal((await faked(fakes, run)).results, [count, count]);
  });

  test(`of ${fakes}: a world of launch, in its threads too`, async () => {
    const heard: unknown[] = [];
    const run = () =>
      launch(program, { pes: 2, args: fakes, timeout: LIMIT_MS }).on("message", (value) => heard.push(value));
    assert.equal(await faked(fakes, run), [count, count]);
    assert.equal(heard, ["faked", "faked"]);
  });

  test(`of ${fakes}: an open world`, async () => {
    const runs = async () => {
      const world = await open({ pes: 2 });
      const results = await world.run(program, { args: fakes });
      await world.close();
      return results;
    };
    assert.equal(await faked(fakes, runs), [count, count]);
  });

  test(`of ${fakes}: a world of createWorld whose PE 0 is this thread`, async () => {
    const played = async () => {
      const host = await createWorld({ pes: 2 });
      const worker = new Worker(program, { workerData: { ticket: host.ticket(1) } });
      const failed = new Promise<never>((_, reject) => worker.on("error", reject));
      const pe = await join(host.ticket(0));
      const awaited = await Promise.race([awaitAll(pe), failed]);
      pe.leave();
      await worker.terminate();
      await host.close();
      return awaited;
    };
    assert.is(await faked(fakes, played), count);
  });

  test(`of ${fakes}: the limits of launch`, async () => {
    const controller = new AbortController();
    const never = { pes: 2, args: "never" } as const;
    const runs = async () => {
      const ended = [await codeOf(launch(program, { ...never, timeout: 200 }))];
      setTimeout(() => controller.abort(), 100);
      ended.push(await codeOf(launch(program, { ...never, signal: controller.signal })));
      ended.push(await codeOf(launch(program, { ...never, signal: AbortSignal.timeout(100) })));
      const closed = launch(program, never);
      await closed.close();
      return [...ended, await codeOf(closed)];
    };
    const aborted = "ERR_TUNDISH_ABORTED";
    assert.equal(await faked(fakes, runs), ["ERR_TUNDISH_TIMEOUT", aborted, aborted, "ERR_TUNDISH_WORLD_CLOSED"]);
  });
}

test.run();

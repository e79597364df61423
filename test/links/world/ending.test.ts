/** How runs end: by themselves, early, in another's hands; nothing is left behind. */

import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AbortedError, RankLostError, type TundishError, WorldClosedError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { launch } from "../../../src/running/launch/launch.ts";
import type { Run } from "../../../src/running/run/handle.ts";
import type { LaunchOptions } from "../../../src/running/run/options.ts";
import { rounds } from "../../support/long.ts";

const program = sibling("./basic.program.js", import.meta.url);
const SOON = 60_000;

const start = (args: string | undefined, more: LaunchOptions = {}): Run =>
  launch(program, { pes: 2, args, timeout: 3 * SOON, ...more });

/** Threads of this process, where /proc tells. */
function threads(): number | null {
  try {
    return Number(/^Threads:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
  } catch {
    return null;
  }
}

async function soon<T>(promise: PromiseLike<T>): Promise<T> {
  const started = performance.now();
  try {
    return await promise;
  } finally {
    const took = performance.now() - started;
    assert.ok(took < SOON, `took ${took} ms`);
  }
}

const failure = (run: Run): Promise<TundishError> =>
  soon(
    run.then(
      () => assert.unreachable("the run ended well"),
      (error: unknown) => error,
    ),
  ) as Promise<TundishError>;

const ending = suite("the end of a run");

for (const args of ["interval", "interval of one"]) {
  ending(`${args} left behind: the run ends with its results all the same`, async () => {
    assert.equal(await soon(start(args, { pes: 3 })), [0, 1, 2]);
  });
}

ending("a signal that comes when all results are there changes nothing", async () => {
  // the interval keeps the threads for a while after the results
  const returned = new Int32Array(new SharedArrayBuffer(4));
  const abort = new AbortController();
  const run = start(undefined, { args: { returned }, signal: abort.signal });
  while (Atomics.load(returned, 0) < 2) await delay(1);
  // what they have returned was sent before, and is read in the next turn of the event loop
  await delay(20);
  abort.abort();
  assert.equal(await soon(run), [0, 1]);
});

ending("an error after the result, while the threads leave, is not swallowed", async () => {
  const error = await failure(start("late error"));
  assert.instance(error, RankLostError);
  assert.match(error.message, /failed outside its main: Error: after the end/);
});

for (const args of ["for ever", "barrier for ever", "loop"]) {
  ending(`close() ends a run: ${args}`, async () => {
    const run = start(args);
    await delay(200);
    await soon(run.close());
    const error = await failure(run);
    assert.instance(error, WorldClosedError);
    assert.match(error.message, /closed before it finished/);
  });

  ending(`an AbortSignal ends a run, its reason is the cause: ${args}`, async () => {
    const abort = new AbortController();
    const run = start(args, { signal: abort.signal });
    await delay(200);
    const reason = new RangeError("enough");
    abort.abort(reason);
    const error = await failure(run);
    assert.instance(error, AbortedError);
    assert.match(error.message, /aborted: RangeError: enough/);
    assert.is(error.cause, reason);
  });
}

ending("close() right after launch(), twice, and after the end", async () => {
  const run = start(undefined);
  await soon(Promise.all([run.close(), run.close()]));
  assert.instance(await failure(run), WorldClosedError);
  const other = start(undefined);
  assert.equal(await soon(other), [1, 1]);
  await soon(other.close());
  assert.equal(await other, [1, 1]);
});

ending("await using ends a run at the end of its block", async () => {
  let run: Run;
  {
    await using kept = start("for ever");
    run = kept;
    await delay(100);
  }
  assert.instance(await failure(run), WorldClosedError);
  {
    await using kept = start(undefined);
    assert.equal(await soon(kept), [1, 1]);
  }
});

ending("close() of a run that cannot start is quiet, the error stays with the run", async () => {
  const run = launch("no/such/file.js", { pes: 2 });
  await run.close();
  assert.is((await failure(run)).code, "ERR_TUNDISH_MODULE");
});

ending("an AbortSignal that has fired already, for whatever reason", async () => {
  const nothingPrintable: unknown = Object.create(null);
  for (const reason of [new Error("early"), "text", undefined, nothingPrintable]) {
    const error = await failure(start("for ever", { signal: AbortSignal.abort(reason) }));
    assert.instance(error, AbortedError);
    if (reason !== undefined) assert.is(error.cause, reason);
    else assert.is((error.cause as Error).name, "AbortError");
  }
  assert.instance(await failure(start("for ever", { signal: AbortSignal.timeout(100) })), AbortedError);
});

ending("a signal outlives its runs without keeping anything of them", async () => {
  const abort = new AbortController();
  let listeners = 0;
  const { signal } = abort;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  };
  for (let i = 0; i < 3; i++) await start(undefined, { signal });
  assert.is(listeners, 0);
  abort.abort();
});

ending("runs side by side do not meet", async () => {
  const sizes = [1, 2, 3, 4, 2, 3];
  const all = await soon(Promise.all(sizes.map((pes) => start(undefined, { pes }))));
  assert.equal(
    all,
    sizes.map((pes) => Array(pes).fill((pes * (pes - 1)) / 2)),
  );
  // one that is lost leaves the other alone
  const [lost, fine] = [start("for ever"), start("slow first", { pes: 3 })];
  await lost.close();
  assert.equal(await soon(fine), [0, 1, 2]);
  await lost.catch(() => {});
});

const RUNS = rounds(12, 50);
ending(`${RUNS} runs one after the other: no thread, no address space and little memory is left behind`, async () => {
  for (let i = 0; i < 5; i++) await start(undefined);
  const before = { threads: threads(), rss: process.memoryUsage.rss() };
  for (let i = 0; i < RUNS; i++) assert.equal(await start(undefined), [1, 1]);
  const until = performance.now() + SOON;
  while ((threads() ?? 0) > (before.threads ?? 0) && performance.now() < until) await delay(20);
  const after = { threads: threads(), rss: process.memoryUsage.rss() };
  if (before.threads !== null) assert.ok((after.threads as number) <= before.threads, JSON.stringify(after));
  const grown = (after.rss - before.rss) / 2 ** 20;
  assert.ok(grown < 3 * RUNS, `${grown} MiB more`);
});
ending.run();

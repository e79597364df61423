/** open(): worlds whose PEs stay between runs. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  AbortedError,
  MismatchError,
  ModuleError,
  RankLostError,
  TimeoutError,
  TundishError,
  UsageError,
  WorldClosedError,
} from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { open } from "../../../../src/running/launch/open.ts";
import type { Run } from "../../../../src/running/run/handle.ts";
import type { OpenWorld } from "../../../../src/running/run/open-world.ts";
import { grace } from "../../../../src/running/run/running-world.ts";
import { rounds } from "../../../support/long.ts";
import type { OpenArgs } from "./open.program.ts";

const exec = promisify(execFile);
const program = sibling("./open.program.js", import.meta.url);
const timeout = 30_000;
const run = (world: OpenWorld, args: OpenArgs, options: object = {}): Run<unknown> =>
  world.run(program, { args, timeout, ...options });

interface Thread {
  readonly rank: number;
  readonly thread: number;
  readonly runs: number;
}

async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => assert.unreachable("it ended well"),
    (error: Error) => error,
  ) as Promise<Error>;
}

const open_ = suite("open worlds");

for (const pes of [1, 2, 5]) {
  open_(`${pes} PEs stay, with their modules and what these have made`, async () => {
    const world = await open({ pes, timeout });
    assert.is(world.size, pes);
    assert.is(world.first, 0);
    const first = (await run(world, { part: "thread", value: { deep: [1n] } })) as Thread[];
    assert.equal(
      first.map(({ rank }) => rank),
      Array.from({ length: pes }, (_, rank) => rank),
    );
    for (let i = 1; i <= 20; i++) {
      const count = 1000 + i;
      const all = ((count - 1) * count) / 2;
      const sums = (await run(world, { part: "stream", count })) as number[];
      assert.is(
        sums.reduce((a, b) => a + b),
        pes * all,
      );
      assert.equal(await run(world, { part: "sum" }), new Array(pes).fill((pes * (pes + 1)) / 2));
    }
    const last = (await run(world, { part: "thread", value: { deep: [1n] } })) as Thread[];
    assert.equal(
      last,
      first.map((one) => ({ ...one, runs: 42 })),
    );
    await world.close();
  });
}

open_("runs that are not awaited come one after the other", async () => {
  const world = await open({ pes: 3, timeout });
  const all = Array.from({ length: 200 }, (_, i) => run(world, { part: "many", count: i % 7 }));
  for (const [i, one] of all.entries()) assert.equal(await one, new Array(3).fill(3 * (i % 7)));
  await world.close();
});

open_("many runs use no more of the heap, whose arrays they free", async () => {
  // 8 MB: some ten arrays of each PE
  const world = await open({ pes: 2, heapBytes: 8 * 2 ** 20, timeout });
  for (let i = 0; i < rounds(150, 5000); i++) assert.equal(await run(world, { part: "alloc", count: 30_000 }), [1, 1]);
  await world.close();
});

open_("what PEs post arrives in order, before the end of the run, and only there", async () => {
  const world = await open({ pes: 3, timeout });
  const before: unknown[] = [];
  const other = run(world, { part: "sum" }).on("message", (value) => before.push(value));
  const steps: number[][] = [[], [], []];
  const listener = (value: unknown, rank: number): void => {
    steps[rank]?.push((value as { step: number }).step);
  };
  await run(world, { part: "post", count: 50 }).on("message", listener);
  await run(world, { part: "post", count: 5 }).on("message", listener).off("message", listener);
  await other;
  const all = Array.from({ length: 50 }, (_, i) => i);
  assert.equal(steps, [all, all, all]);
  assert.equal(before, []);
  await world.close();
});

open_("launch: posts, too", async () => {
  const got: [unknown, number][] = [];
  const args: OpenArgs = { part: "post", count: 2 };
  await launch(program, { pes: 2, args, timeout }).on("message", (value, rank) => got.push([value, rank]));
  const [zero, one] = [0, 1].map((rank) => got.filter(([, from]) => from === rank).map(([value]) => value));
  assert.equal(zero, [{ step: 0 }, { step: 1 }]);
  assert.equal(one, zero);
});

open_("a value that cannot be posted is refused", async () => {
  const error = await failure(launch(program, { pes: 1, args: { part: "post a function" }, timeout }));
  assert.instance(error, RankLostError);
  assert.instance(error.cause, UsageError);
  assert.match(
    (error.cause as Error).message,
    /^post: expected a value that can be cloned, .* could not be cloned\. Post data/s,
  );
});

/** After a run that failed the world runs on, with new PEs. */
async function fails(
  args: OpenArgs,
  type: new (...args: never[]) => Error,
  message: RegExp,
  options: () => object = () => ({}),
): Promise<void> {
  const world = await open({ pes: 2, timeout });
  assert.equal(await run(world, { part: "sum" }), [3, 3]);
  const error = await failure(run(world, args, options()));
  assert.instance(error, type, String(error));
  assert.match(error.message, message, error.message);
  for (const one of (await run(world, { part: "thread" })) as Thread[]) assert.is(one.runs, 1);
  assert.equal(await run(world, { part: "sum" }), [3, 3]);
  await world.close();
}

open_("a PE throws", () => fails({ part: "throw", rank: 1 }, RankLostError, /PE 1 threw RangeError: no such thing/));
open_("a PE exits", () => fails({ part: "exit", rank: 1 }, RankLostError, /^PE 1 ended with exit code 3 before/));
open_("a PE returns while the others wait for it", () =>
  fails({ part: "return early", rank: 1 }, RankLostError, /^PE 1 /),
);
open_("a PE returns in the middle of a session", () =>
  fails({ part: "open session" }, RankLostError, /in the middle of a conveyor's session/),
);
open_("a PE hangs until the timeout of the run", () =>
  fails({ part: "hang" }, TimeoutError, /longer than 300 ms .*not finished: PE 0/, () => ({ timeout: 300 })),
);
open_("a run is aborted", () =>
  fails({ part: "hang" }, AbortedError, /aborted/, () => ({ signal: AbortSignal.timeout(200) })),
);

// what one PE has called, and the others have not, would meet the next call of these
const MISMATCHES = [
  [
    "each is the root",
    /^At the end of the run: PE 0 called broadcast of a number at root 0 \(tree\); PE 1 called broadcast of a number at root 1 \(tree\) \(call number \d\)\. All PEs/,
  ],
  ["skip a reduce", /^At the end of the run: PE 0 has made \d collective calls?; PE 1 has made \d collective calls?/],
  [
    "a conveyor alone",
    /^At the end of the run: of groups, conveyors .* among PE 0, 1, PE 0 has made 1; PE 1 has made 0\./,
  ],
  [
    "nobody is the root in a group",
    /^At the end of the run: PE 0 called gather of a number at root 1; PE 1 called gather of a number at root 0 \(call number \d+ in the group of PE 0, 1\)\. All PEs/,
  ],
  [
    "in a group alone",
    /^At the end of the run: PE 0 has made 1 collective call; PE 1 has made 0 collective calls in the group/,
  ],
] as const;
for (const [part, message] of MISMATCHES) {
  const args = { part, rank: 0, count: 1 };
  open_(`calls that do not match: ${part}`, () => fails(args, MismatchError, message));
  open_(`calls that do not match at the end of a launch: ${part}`, async () => {
    const error = await failure(launch(program, { pes: 2, args, timeout }));
    assert.instance(error, MismatchError, String(error));
    // of which there is none before
    const told = part === "in a group alone" ? /PE 0 has made 1 .* in the group/ : message;
    assert.match(error.message, told, error.message);
  });
}

open_("calls that do not match: one that is not awaited", () =>
  // whether PE 0 still waits when PE 1 returns
  fails(
    { part: "a call that is not awaited", rank: 0 },
    TundishError,
    /^PE 1 has left without the call that PE 0 waits in|^At the end of the run: PE 0 has made 2 /,
  ),
);

open_("a PE ends between two runs", async () => {
  const world = await open({ pes: 2, timeout });
  const word = new Int32Array(new SharedArrayBuffer(4));
  assert.equal(await run(world, { part: "exit later", value: word }), ["exits", "exits"]);
  Atomics.store(word, 0, 1); // pairs with the load of PE 0
  // a run that begins before the PE has ended fails by that, or has none of it
  for (let threads: Thread[] = []; threads[0]?.runs !== 1; await delay(20))
    threads = (await run(world, { part: "thread" }).catch((error: Error) => {
      assert.instance(error, RankLostError);
      return [];
    })) as Thread[];
  await world.close();
});

open_("what is refused before a run concerns no other run", async () => {
  const world = await open({ pes: 2, timeout });
  const [{ thread }] = (await run(world, { part: "thread" })) as [Thread];
  const refused: [Promise<unknown>, new (...args: never[]) => Error, RegExp][] = [
    [
      run(world, { part: "thread", value: () => {} }),
      UsageError,
      /^args: expected a value that can be cloned, .* could not be cloned\. Pass data/s,
    ],
    [run(world, { part: "thread" }, { pes: 3 }), UsageError, /^run: unknown option 'pes'/],
    [run(world, { part: "thread" }, { timeout: -1 }), UsageError, /^timeout: expected a number of milliseconds/],
    [run(world, { part: "thread" }, { signal: AbortSignal.abort() }), AbortedError, /aborted/],
    [world.run("./no/such.js"), ModuleError, /does not exist/],
    [world.run(7 as never), UsageError, /^module: expected a path/],
  ];
  for (const [promise, type, message] of refused) {
    const error = await failure(promise);
    assert.instance(error, type, String(error));
    assert.match(error.message, message);
  }
  // the time in the queue counts, and what has not begun ends at once
  const slow = run(world, { part: "slow", count: 1500 });
  const late = run(world, { part: "thread" }, { timeout: 200 });
  let isSlow = true;
  void slow.then(() => {
    isSlow = false;
  });
  assert.instance(await failure(late), TimeoutError);
  assert.ok(isSlow, "it ended after the run before it");
  assert.equal(await slow, [0, 1]);
  const queued = run(world, { part: "sum" });
  const closed = run(world, { part: "sum" });
  void closed.close();
  assert.equal(await queued, [3, 3]);
  assert.instance(await failure(closed), WorldClosedError);
  const [after] = (await run(world, { part: "thread" })) as [Thread];
  assert.is(after.thread, thread, "the PEs are the same");
  await world.close();
});

open_("bad options", async () => {
  for (const [options, message] of [
    [{ pes: 0 }, /^pes: expected a whole number from 1/],
    [{ args: 1 }, /^open: unknown option 'args'/],
    [{ resourceLimits: { heap: 3 } }, /^resourceLimits: unknown limit 'heap'/],
    [{ resourceLimits: { stackSizeMb: -1 } }, /^resourceLimits.stackSizeMb: expected a number of MB >= 1, got -1/],
    [{ resourceLimits: { stackSizeMb: 0.1 } }, /^resourceLimits.stackSizeMb: expected a number of MB >= 1, got 0.1/],
    [{ tagOutput: 1 }, /^tagOutput: expected true or false, got 1/],
  ] as const) {
    const error = await failure(open(options as object));
    assert.instance(error, UsageError, String(error));
    assert.match(error.message, message);
  }
});

open_("a closed world runs nothing; what is under way and what waits ends with an error", async () => {
  const world = await open({ pes: 2, timeout });
  const hanging = run(world, { part: "hang" });
  const waiting = run(world, { part: "sum" });
  const ends = [hanging, waiting].map(failure);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await Promise.all([world.close(), world.close()]);
  for (const error of await Promise.all(ends)) assert.instance(error, WorldClosedError, String(error));
  assert.instance(await failure(run(world, { part: "sum" })), WorldClosedError);
  await world.close();
});

open_("mismatched calls", async () => {
  const world = await open({ pes: 2, timeout });
  const source =
    "data:text/javascript," +
    encodeURIComponent(
      `import { spmd } from ${JSON.stringify(sibling("../../../../src/index.js", import.meta.url).href)};
export default spmd((pe) => (pe.rank === 0 ? pe.barrier() : pe.allreduce(1, "sum")));`,
    );
  assert.instance(await failure(world.run(source, { timeout })), MismatchError);
  assert.equal(await run(world, { part: "sum" }), [3, 3]);
  await world.close();
});

open_('with onLoss: "continue" a lost PE stays lost, and the others run on', async () => {
  const world = await open({ pes: 3, onLoss: "continue", timeout });
  const word = new Int32Array(new SharedArrayBuffer(4));
  const first = await run(world, { part: "exit later", rank: 1, value: word });
  Atomics.store(word, 0, 1); // pairs with the load of PE 1
  assert.equal(first, ["exits", "exits", "exits"]);
  for (let runs = 2, isLost = false; !isLost; runs++) {
    await delay(20);
    const [zero, one, two] = (await run(world, { part: "thread" })) as [Thread, unknown, Thread];
    assert.equal([zero.runs, two.runs], [runs, runs]);
    isLost = one instanceof RankLostError && one.rank === 1;
  }
  await world.close();
});

open_('with onLoss: "continue", when all are lost, the next run starts new ones', async () => {
  const world = await open({ pes: 2, onLoss: "continue", timeout });
  await run(world, { part: "thread" });
  const error = await failure(run(world, { part: "all throw" }));
  assert.instance(error, RankLostError);
  // at once: their threads may still be there
  for (const one of (await run(world, { part: "thread" })) as Thread[]) assert.is(one.runs, 1);
  await world.close();
});

open_("a PE that exceeds its memory is lost, and the process lives", async () => {
  const limits = { resourceLimits: { maxOldGenerationSizeMb: 32 } };
  const args: OpenArgs = { part: "fill", rank: 1 };
  const error = await failure(launch(program, { pes: 2, args, timeout, ...limits }));
  assert.instance(error, RankLostError);
  assert.match(error.message, /^PE 1 .*memory limit/);
});

/** Runs a program, with `open` and `program`, in a process of its own. */
async function alone(code: string): Promise<{ stdout: string; stderr: string }> {
  const dir = mkdtempSync(join(tmpdir(), "tundish-open-"));
  const index = sibling("../../../../src/index.js", import.meta.url).href;
  const file = join(dir, "main.mjs");
  writeFileSync(
    file,
    `import { launch, open } from ${JSON.stringify(index)};
const program = ${JSON.stringify(program.href)};
${code}`,
  );
  try {
    return await exec(process.execPath, [file], { timeout: 60_000 });
  } finally {
    rmSync(dir, { recursive: true });
  }
}

open_("an open world does not keep the process, but a run does", async () => {
  const { stdout } = await alone(`
const world = await open({ pes: 2 });
console.log(await world.run(program, { args: { part: "sum" } }));
void world.run(program, { args: { part: "slow", count: 300 } }).then(console.log);
`);
  assert.is(stdout, "[ 3, 3 ]\n[ 0, 1 ]\n");
});

open_("a run that nobody awaits fails as other promises do; the end of a world does not", async () => {
  const silent = `const world = await open({ pes: 2 });
void world.run(program, { args: { part: "hang" } });
void world.run(program, { args: { part: "sum" } });
await new Promise((resolve) => setTimeout(resolve, 200));
await world.close();
console.log("closed");`;
  assert.is((await alone(silent)).stdout, "closed\n");
  const failing = `const world = await open({ pes: 2 });
void world.run(program, { args: { part: "throw" } });
await new Promise((resolve) => setTimeout(resolve, 5000));`;
  const error = (await failure(alone(failing))) as Error & { code?: number; stderr?: string };
  assert.is(error.code, 1);
  assert.match(error.stderr ?? "", /RankLostError: PE 0 threw RangeError: no such thing/);
});

open_("tagged output", async () => {
  const { stdout, stderr } = await alone(
    `await launch(program, { pes: 2, tagOutput: true, args: { part: "print" } });`,
  );
  const of = (rank: number) => `[${rank}] line of ${rank}\n[${rank}] and another\n[${rank}] a part, the rest\n`;
  assert.is(stdout, of(0) + of(1));
  assert.is(stderr, "[0] an error\n[1] an error\n");
});

open_("tagged output: a part of a line is there at once, and begins again after another PE's line", async () => {
  const { stdout } = await alone(`
const world = await open({ pes: 2, tagOutput: true });
await world.run(program, { args: { part: "print parts" } });
`);
  // the PEs sleep when the process ends
  assert.is(stdout, "[0] é begun\n[1] whole\n[0] , ended\n[0] left open");
});

open_("tagged output that the main thread catches: parts become lines", async () => {
  const { stdout } = await alone(`
const { write } = process.stdout;
let caught = "";
process.stdout.write = (text) => (caught += text).length > 0;
const world = await open({ pes: 2, tagOutput: true });
await world.run(program, { args: { part: "print parts" } });
while (!caught.includes("open")) await new Promise((resolve) => setTimeout(resolve, 10));
process.stdout.write = write;
console.log(caught.split("\\n").toSorted().join("\\n"));
`);
  assert.is(stdout, "\n[0] left open\n[0] é begun, ended\n[1] whole\n");
});

open_("the smallest stack is large enough", async () => {
  const world = await open({ pes: 2, resourceLimits: { stackSizeMb: 1 }, timeout });
  assert.equal(
    await run(world, { part: "stream", count: 1000 }),
    [249500, 250000].map((sum) => 2 * sum),
  );
  await world.close();
});

open_.before(() => {
  // on a busy machine a thread may not run at all in the usual time
  grace.ms = 1000;
});
open_.run();

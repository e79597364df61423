/** Threads that are started while their world is prepared: they become its PEs, and none outlives it. */
import { availableParallelism } from "node:os";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { launch, open } from "../../../src/index.ts";
import { startRun } from "../../../src/running/launch/start.ts";
import { threadsAhead } from "../../../src/running/run/ahead.ts";

const test = suite("threads ahead");
/** The code of the error that it is rejected with. */
const codeOf = (result: Promise<unknown>): Promise<unknown> =>
  result.then(
    () => "none",
    (error: { code?: unknown }) => error.code,
  );
let running = 0;
process.on("worker", (worker) => {
  running++;
  worker.once("exit", () => running--);
});
const module = new URL("./ahead.program.js", import.meta.url);

test("they become the PEs, in order", async () => {
  const ids = (await launch<number>(module, { pes: 3, args: "ids" })) as number[];
  const next = (await launch<number>(module, { pes: 2, args: "ids" })) as number[];
  const start = ids[0] as number;
  assert.equal([...ids, ...next], [start, start + 1, start + 2, start + 3, start + 4], "no thread more");
  assert.is(running, 0);
});

test("without pes there are as many as CPUs; those that the world does not need end with it", async () => {
  assert.is((await launch(module)).length, availableParallelism());
  const ahead = threadsAhead({ pes: 5 });
  await new Promise(setImmediate);
  const begun = running;
  await ahead?.end();
  assert.is(begun, 5);
  assert.is(ahead?.take(0, null, []), undefined, "none is left");
  assert.is(running, 0);
});

test("those that were guessed to be needed end once the PEs have their seats", async () => {
  const closing = new AbortController();
  const beginning = { closing: closing.signal, onBegin: () => {}, onPost: () => {} };
  const ahead = threadsAhead({ pes: 5 });
  await new Promise(setImmediate);
  assert.is(running, 5);
  const code = codeOf(startRun(module, { pes: 2, args: "stay" }, { beginning, ahead, untraced: undefined }));
  while (running > 2) await new Promise((resolve) => setTimeout(resolve, 5));
  closing.abort();
  assert.is(await code, "ERR_TUNDISH_WORLD_CLOSED");
  assert.is(running, 0);
});

test("none is started for what is refused, in a job, with limits, or where a plan or a model decides", () => {
  for (const pes of [0, -1, 1.5, Number.NaN, "2" as never]) assert.is(threadsAhead({ pes }), null);
  assert.is(threadsAhead({ pes: 2, plan: "plan.json" }), null);
  assert.is(threadsAhead({ machine: "machine.json" }), null);
  // V8 would end the process
  assert.is(threadsAhead({ pes: 2, resourceLimits: { stackSizeMb: 0.01 } }), null);
  process.env.OMPI_COMM_WORLD_SIZE = "2";
  assert.is(threadsAhead({ pes: 2 }), null);
  delete process.env.OMPI_COMM_WORLD_SIZE;
});

test("an error before the world begins ends them", async () => {
  const faults: [Parameters<typeof launch>[1] & object, string][] = [
    [{ pes: 2, timeout: -1 }, "ERR_TUNDISH_USAGE"],
    [{ pes: 2, machine: "no-such-machine.json" }, "ERR_TUNDISH_MODEL_INVALID"],
    [{ pes: 2, heapBytes: 1000 }, "ERR_TUNDISH_USAGE"],
    [{ pes: 2, resourceLimits: { maxOldGenerationSizeMb: 0 } }, "ERR_TUNDISH_USAGE"],
    [{ pes: 2, resourceLimits: { stackSizeMb: 0.01 } }, "ERR_TUNDISH_USAGE"],
    [{ pes: 2, trees: "sycamore" as never }, "ERR_TUNDISH_USAGE"],
    [{ pes: 2, args: () => {} }, "ERR_TUNDISH_USAGE"],
    [{ pes: 2, signal: AbortSignal.abort("no") }, "ERR_TUNDISH_ABORTED"],
  ];
  for (const [options, code] of faults) {
    assert.is(await codeOf(launch(module, options)), code);
    assert.is(running, 0, code);
  }
  assert.is(await codeOf(launch("./no-such-module.js", { pes: 2 })), "ERR_TUNDISH_MODULE");
  assert.is(running, 0);
});

test("an open world takes them once, and starts others after a failure", async () => {
  await using world = await open({ pes: 2 });
  assert.equal(await world.run(module, {}), [0, 1]);
  assert.is(await codeOf(world.run(module, { args: "fail" })), "ERR_TUNDISH_RANK_LOST");
  assert.equal(await world.run(module, {}), [0, 1]);
});

test.run();

/**
 * Functions of a program that are called later run in the context (AsyncLocalStorage) of the call that was given them.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { simulateAsync } from "../../../../src/running/virtual/simulate-async.ts";
import { type Contexts, contextsOf } from "./contexts.program.ts";
import { CALLING, FACILITIES } from "./facilities.ts";

const program = sibling("./contexts.program.js", import.meta.url);
const storage = new AsyncLocalStorage<string>();

const expected = Object.fromEntries(
  Object.keys(FACILITIES).map((name) => [name, CALLING.includes(name) ? [name] : []]),
);

const test = suite("contexts");

test("of functions at real PEs, and of what listens to their messages", async () => {
  const heard: unknown[] = [];
  const listener = () => void heard.push(storage.getStore());
  const run = storage.run("launch", () => launch<Contexts>(program, { pes: 2, timeout: 120_000 }));
  storage.run("one", () => run.on("message", listener));
  storage.run("other", () => run.on("message", listener));
  storage.run("removed", () => run.on("message", listener).off("message", listener));
  for (const contexts of await run) assert.equal(contexts, expected);
  assert.equal(heard, ["one", "other", "one", "other"]);
});

test("of functions at virtual PEs, and of what listens to their messages", async () => {
  const heard: unknown[] = [];
  const onMessage = () => void heard.push(storage.getStore());
  const { results } = await storage.run("simulation", () =>
    simulateAsync({ pes: 2, onMessage, memoryBytes: 2 ** 26 }, contextsOf),
  );
  for (const contexts of results) assert.equal(contexts, expected);
  assert.equal(heard, ["simulation", "simulation"]);
});

test.run();

/** Threads of the package's own: built modules and TypeScript, data, names, errors. */
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { MessageChannel } from "node:worker_threads";
import { suite, type Test } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { spawnThread } from "../../../../src/ground/base/thread/spawn.ts";
import { findTsx } from "../../../../src/ground/base/thread/tsx.ts";
import { fixture, root } from "../../../support/paths.ts";
import { testUnless } from "../../../support/skip.ts";

const thread = (name: string): URL => pathToFileURL(fixture("programs", name));

const threads: Test = suite("threads");

threads("a sibling is beside the caller, built or not", () => {
  assert.is(sibling("./worker.js", "file:///a/dist/b.js").href, "file:///a/dist/worker.js");
  assert.is(sibling("./worker.js", "file:///a/src/b.ts").href, "file:///a/src/worker.ts");
  assert.is(sibling("../worker.js", "file:///a/src/c/b.ts").href, "file:///a/src/worker.ts");
});

for (const file of ["world-thread.mjs", "world-thread.ts"]) {
  const reason = file.endsWith(".ts") && findTsx(import.meta.url) === null ? "needs tsx" : null;

  testUnless(threads, reason, `${file}: gets its data and a port, answers, ends`, async () => {
    const { port1, port2 } = new MessageChannel();
    const worker = spawnThread({
      entry: thread(file),
      workerData: { port: port2, list: [1, 2] },
      transferList: [port2],
      name: "a thread",
    });
    const exit = once(worker, "exit");
    const [message] = await once(port1, "message");
    assert.equal(message, { list: [1, 2], main: false });
    port1.close();
    assert.equal(await exit, [0]);
  });

  testUnless(threads, reason, `${file}: what it throws comes as an error event`, async () => {
    const worker = spawnThread({ entry: thread(file), workerData: {}, name: "a thread" });
    const [error] = await once(worker, "error");
    assert.instance(error, TypeError);
  });
}

threads("data that cannot be cloned is refused at once", () => {
  assert.throws(
    () => spawnThread({ entry: thread("world-thread.mjs"), workerData: () => 1, name: "a thread" }),
    (error: unknown) => (error as Error).name === "DataCloneError",
  );
});

threads("tsx is found from where it is installed, and only there", async () => {
  assert.is(findTsx("file:///nowhere/at/all.js"), null);
  const found = findTsx(pathToFileURL(`${root}/test/x.ts`));
  if (found === null) return;
  assert.type(((await import(found.esm)) as { register?: unknown }).register, "function");
});
threads.run();

/** The heap's allocator under several threads at once. */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HeapError } from "../../../src/ground/base/errors.ts";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { shieldThreads } from "../../../src/ground/base/shield.ts";
import { spawnThread } from "../../../src/ground/base/thread/spawn.ts";
import { ALLOCATOR_LOCK } from "../../../src/ground/memory/heap-layout.ts";
import { newHeap } from "../../../src/ground/memory/new-heap.ts";
import type { Job } from "./heap.worker.ts";

const threads = suite("heap between threads");

const start = (job: Job) =>
  spawnThread({
    entry: sibling("./heap.worker.js", import.meta.url),
    workerData: job,
    name: `thread ${job.id}`,
  });

threads("four threads allocate and free 10 000 times each: nothing overlaps, nothing is lost", async () => {
  const heap = newHeap(1 << 20);
  const answers = await Promise.all(
    [1, 2, 3, 4].map(async (id) => {
      const [problem] = await once(start({ memory: heap.memory, id, rounds: 10_000 }), "message");
      return problem as string | null;
    }),
  );
  assert.equal(answers, [null, null, null, null]);
  assert.is(heap.allocate((1 << 20) - 384), 384, "all of it is free again, in one piece");
});

threads("a thread in the allocator is not terminated: it is shielded until it has left", async () => {
  const shields = shieldThreads();
  const heap = newHeap(65536);
  Atomics.store(heap.i32, ALLOCATOR_LOCK, 1);
  const thread = start({ memory: heap.memory, id: 1, rounds: 1 });
  const { threadId } = thread;
  const shielded = () => Atomics.load(shields, 2 * (threadId % 1024));
  let answer: unknown;
  const said = once(thread, "message").then(([problem]) => {
    answer = problem;
  });
  // after 5 s without the lock
  said.catch((error: unknown) => {
    answer = error;
  });
  while (shielded() === 0 && answer === undefined) await delay(1);
  assert.is(shielded(), 1);
  Atomics.store(heap.i32, ALLOCATOR_LOCK, 0);
  await said;
  assert.is(answer, null);
  assert.is(shielded(), 0);
});

threads("a thread killed inside the allocator blocks nobody for ever", () => {
  const heap = newHeap(65536);
  heap.i32[ALLOCATOR_LOCK] = 1;
  const started = performance.now();
  assert.throws(
    () => heap.allocate(1),
    (error: unknown) => error instanceof HeapError && /locked for 5000 ms.*killed/.test(error.message),
  );
  assert.ok(performance.now() - started < 30_000);
});

threads.run();

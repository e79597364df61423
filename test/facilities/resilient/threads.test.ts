/** Resilient groups on threads: PEs throw, exit, or are terminated, at every point of every call. */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { spawnThread } from "../../../src/ground/base/thread/spawn.ts";
import { createWorld } from "../../../src/index.ts";
import { rounds } from "../../support/long.ts";
import { SEED } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Answer, Job } from "../../support/thread-pool.worker.ts";
import { check, type Entry, type Fate, type Point, pick, type Run } from "./programs/calls.ts";
import type { Args } from "./programs/threads.program.ts";

const test = suite("resilient groups on threads");
const module = sibling("./programs/threads.program.js", import.meta.url);
const POINTS: readonly Point[] = ["before", "inside", "inside", "after"];
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

/** A run in which all PEs but one may end themselves. */
function runOf(seed: number): { pes: number; run: Run; doomed: Set<number> } {
  const pes = 2 + pick(3, seed, 1);
  const count = 24;
  const spared = pick(pes, seed, 2);
  const doomed = range(pes).filter((rank) => rank !== spared && pick(3, seed, 3, rank) > 0);
  const fates = doomed.map(
    (rank): Fate => ({ rank, k: pick(count, seed, 4, rank), point: POINTS[pick(4, seed, 5, rank)] as Point }),
  );
  return { pes, run: { seed, count, fates }, doomed: new Set(doomed) };
}

const OPTIONS = { onLoss: "continue", waitTimeout: 60_000, heapBytes: 2 ** 23 } as const;

let repaired = 0;
const TIMES = { throw: rounds(10, 4000), return: rounds(6, 1000), exit: rounds(5, 500) };
for (const [how, times] of Object.entries(TIMES)) {
  test(`${times} times some PEs ${how}`, async () => {
    for (let i = 0; i < times; i++) {
      const seed = SEED + i;
      const { pes, run, doomed } = runOf(seed);
      const backwards = pick(2, seed, 7) === 0;
      const args: Args = { ...run, how: how as Args["how"], backwards };
      try {
        const logs = await launchPooled<Entry[] | undefined>(module, { ...OPTIONS, pes, args });
        const all = logs.map((log) => log ?? []);
        repaired += check(backwards ? all.toReversed() : all, run, doomed);
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).stack}`);
      }
    }
  });
}

/** Threads that are kept from round to round, but those that were terminated. */
const threads: Worker[] = [];
const spawn = () =>
  spawnThread({
    entry: sibling("../../support/thread-pool.worker.js", import.meta.url),
    workerData: null,
    name: "killed",
  });

const KILLS = rounds(8, 1500);
test(`${KILLS} times threads are terminated`, async () => {
  for (let i = 0; i < KILLS; i++) {
    const seed = SEED + i;
    const { pes, doomed } = runOf(seed);
    const run: Run = { seed, count: 200, fates: [] };
    using host = await createWorld({ ...OPTIONS, pes });
    const workers = range(pes).map(() => threads.pop() ?? spawn());
    const answers = workers.map(async (worker, rank): Promise<Entry[]> => {
      const over = new AbortController();
      const gone = once(worker, "exit", { signal: over.signal }).then(() => null);
      gone.catch(() => {});
      worker.postMessage({
        ticket: host.ticket(rank),
        module: module.href,
        args: { ...run, how: "throw", backwards: false },
      } satisfies Job);
      const answer = await Promise.race([once(worker, "message").then(([said]) => said as Answer), gone]);
      over.abort();
      if (answer === null) host.lost(rank, new RangeError("killed"));
      return (answer?.value ?? []) as Entry[];
    });
    for (const rank of doomed) {
      await delay(pick(30, seed, 6, rank));
      await workers[rank].terminate();
    }
    const logs = await Promise.all(answers);
    threads.push(...workers.filter((_, rank) => !doomed.has(rank)));
    repaired += check(logs, run, doomed);
  }
});

test("calls were repaired", () => {
  console.log(`${repaired} calls repaired`);
  // of the seeds of a plain run some lose PEs between calls only
  assert.ok(repaired > rounds(2, 1000), `${repaired}`);
});

test.after(async () => {
  await Promise.all(threads.map((worker) => worker.terminate()));
});
test.run();

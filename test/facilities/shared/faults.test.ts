/** PEs that throw, exit, return, or are terminated while they hold a shared object or wait for it: nobody hangs. */
import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { spawnThread } from "../../../src/ground/base/thread/spawn.ts";
import { createWorld } from "../../../src/index.ts";
import { rounds } from "../../support/long.ts";
import { drawn } from "../../support/sample.ts";
import { launchPooled } from "../../support/thread-pool.ts";
import type { Answer, Job } from "../../support/thread-pool.worker.ts";
import { DOOMED, type Fault, type Outcome } from "./programs/faults.program.ts";

const test = suite("lost PEs and shared objects");
const module = sibling("./programs/faults.program.js", import.meta.url);
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const OPTIONS = { onLoss: "continue", waitTimeout: 30_000, heapBytes: 2 ** 22 } as const;
const KINDS = ["lock", "rwlock", "semaphore"] as const;

function faultOf(how: Fault["how"], i: number): { pes: number; fault: Fault } {
  const at = drawn(30, "at", how, i);
  const fault: Fault = {
    how,
    at,
    kind: KINDS[drawn(KINDS.length, "kind", how, i)] as Fault["kind"],
    holds: drawn(4, "holds", how, i) > 0,
    repairs: drawn(2, "repairs", how, i) > 0,
    blocks: drawn(2, "blocks", how, i) > 0,
    turns: at + 40,
  };
  return { pes: 2 + drawn(4, "pes", how, i), fault };
}

/** What the PEs that are left have come to. */
function check(outcomes: readonly (Outcome | undefined)[], { holds, repairs, turns }: Fault): void {
  let repaired = 0;
  for (const outcome of outcomes) {
    if (outcome === undefined) continue;
    repaired += outcome.repairs;
    if (outcome.errors.length > 0) {
      assert.not(repairs, outcome.errors.join());
      assert.equal(outcome.errors, [`LockLostError ${DOOMED}`]);
    } else {
      assert.is(outcome.turns, turns);
    }
  }
  // those that are done before it ends do not notice; a PE that only waits may have been given it
  if (holds && !repairs) assert.is(repaired, 0);
  assert.ok(repaired <= 1, `${repaired} repairs`);
}

const TIMES = { throw: rounds(15, 3000), return: rounds(15, 3000), exit: rounds(5, 400) };
for (const [how, times] of Object.entries(TIMES)) {
  test(`${times} times a PE ${how}s`, async () => {
    for (const i of range(times)) {
      const { pes, fault } = faultOf(how as Fault["how"], i);
      try {
        const outcomes = await launchPooled<Outcome | undefined>(module, { ...OPTIONS, pes, args: fault });
        check(
          outcomes.filter((_, rank) => rank !== DOOMED),
          fault,
        );
      } catch (error) {
        throw new Error(`${JSON.stringify({ pes, fault })}: ${(error as Error).stack}`);
      }
    }
  });
}

test("a latch that nobody counts down any more: all that wait learn who is lost, and do not wait for their time", async () => {
  for (const pes of [2, 4]) {
    const outcomes = await launchPooled<Outcome | undefined>(module, { ...OPTIONS, pes, args: "latch" });
    for (const [rank, outcome] of outcomes.entries()) {
      if (rank === DOOMED) continue;
      assert.is(outcome?.turns, 1);
      // who has learnt of it returns, and may be named, too
      assert.match(String(outcome?.errors), pes === 2 ? `RankLostError ${DOOMED}` : /^RankLostError \d$/);
    }
  }
});

const threads: Worker[] = [];
const spawn = () =>
  spawnThread({
    entry: sibling("../../support/thread-pool.worker.js", import.meta.url),
    workerData: null,
    name: "killed",
  });

const KILLS = rounds(8, 600);
test(`${KILLS} times a thread is terminated`, async () => {
  for (const i of range(KILLS)) {
    const { pes, fault } = faultOf("hang", i);
    using host = await createWorld({ ...OPTIONS, pes });
    const workers = range(pes).map(() => threads.pop() ?? spawn());
    const answers = workers.map(async (worker, rank): Promise<Outcome | undefined> => {
      const answer = once(worker, "message").then(([said]) => said as Answer);
      worker.postMessage({ ticket: host.ticket(rank), module: module.href, args: fault } satisfies Job);
      if (rank !== DOOMED) return (await answer)?.value as Outcome;
      await new Promise((resolve) => setTimeout(resolve, 20 + drawn(20, "kill", i)));
      const gone = once(worker, "exit");
      await worker.terminate();
      await gone;
      host.lost(rank, new RangeError("killed"));
      return undefined;
    });
    try {
      check(await Promise.all(answers), fault);
    } catch (error) {
      throw new Error(`${JSON.stringify({ pes, fault })}: ${(error as Error).stack}`);
    }
    threads.push(...workers.filter((_, rank) => rank !== DOOMED));
  }
});

test.after(async () => {
  await Promise.all(threads.map((worker) => worker.terminate()));
});
test.run();

/** A thread of one's own is terminated in mid-run, whatever the others wait in: all are told, for ever. */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sibling } from "../../src/ground/base/package-file.ts";
import { spawnThread } from "../../src/ground/base/thread/spawn.ts";
import { createWorld } from "../../src/index.ts";
import { rounds } from "../support/long.ts";
import type { Note } from "./programs/failing.program.ts";
import type { Job } from "./programs/killing.worker.ts";
import { FOR_MEMORY, WAITS } from "./support/waits.ts";

const ALL: readonly string[] = [...WAITS, ...FOR_MEMORY];
const ROUNDS = rounds(1, 100);
const SOON = 8000;
const ASTRAY = ["loop", "idle", "barrier of its own"] as const;
let runs = 0;
/** Those that were not killed: each is a PE of the next world, too. */
const idle: Worker[] = [];
const spawn = (): Worker =>
  spawnThread({
    entry: sibling("./programs/killing.worker.js", import.meta.url),
    workerData: null,
    name: "to be killed",
  });

/** Has 2 or 3 threads, kills one, and gives what the others say. */
async function kill(wait: string): Promise<{ notes: Note[]; culprit: number }> {
  const i = runs++;
  const pes = 2 + (i % 2);
  const culprit = (i >> 1) % pes;
  using host = await createWorld({ pes, heapBytes: 2 ** 23, waitTimeout: 60_000 });
  const workers = Array.from({ length: pes }, (_, rank): Worker => {
    const astray = rank === culprit ? ASTRAY[i % 3] : null;
    const worker = idle.pop() ?? spawn();
    const job: Job = { ticket: host.ticket(rank), wait, later: (i + rank) % 2 === 0, astray };
    worker.postMessage(job);
    return worker;
  });
  let isOver = false;
  try {
    const said = async (worker: Worker) => (await once(worker, "message"))[0] as unknown;
    assert.equal(await Promise.all(workers.map(said)), Array(pes).fill("ready"));
    const notes = workers.filter((_, rank) => rank !== culprit).map(said);
    // so that they wait
    await delay(50);
    await workers[culprit].terminate();
    host.lost(culprit, new RangeError("killed"));
    const late = delay(SOON, undefined, { ref: false }).then(() => assert.unreachable("too late"));
    const told = (await Promise.race([Promise.all(notes), late])) as Note[];
    isOver = true;
    return { notes: told, culprit };
  } finally {
    const left = workers.filter((_, rank) => isOver && rank !== culprit);
    idle.push(...left);
    await Promise.all(workers.filter((worker) => !left.includes(worker)).map((worker) => worker.terminate()));
  }
}

const killing = suite("a thread that is terminated");
for (const wait of ALL) {
  killing(`while the others wait in ${wait}, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { notes, culprit } = await kill(wait);
      for (const { first, later, calls, took } of notes) {
        const code = "ERR_TUNDISH_RANK_LOST";
        const told = {
          ...{ name: "RankLostError", code, message: `PE ${culprit} was lost [${code}]` },
          ...{ rank: culprit, cause: "RangeError: killed" },
        };
        assert.equal(first, told);
        assert.equal(later, [told]);
        assert.is(calls, 2 * ALL.length);
        assert.ok(took < 60_000, `${took} ms`);
      }
    }
  });
}
killing.after(async () => {
  await Promise.all(idle.map((worker) => worker.terminate()));
});
killing.run();

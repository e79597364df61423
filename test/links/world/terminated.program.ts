/**
 * Rounds of threads that are ended in the middle of something: `node terminated.program.js WAY ROUNDS`. The process lives to say
 * how many, or it dies of one of them.
 */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { isMainThread, parentPort, type Worker, workerData } from "node:worker_threads";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { spawnThread } from "../../../src/ground/base/thread/spawn.ts";
import { createWorld, join, launch, type PE, type Spmd, spmd, type Ticket } from "../../../src/index.ts";

/** What a thread of the test does once it has said that it begins. */
type Part = "join" | "launch" | "group";
/** What is ended: a thread in one of these, by `terminate()`, or the PEs of a run that launch runs of their own, by the end of theirs. */
export type Way = Part | "PE";

interface Job {
  readonly part: Part;
  readonly ticket: Ticket;
}

const here = sibling("./terminated.program.js", import.meta.url);
/** Longest time from the beginning of a part until its thread is ended, ms: about the time that the part takes. */
const SPANS: Readonly<Record<Way, number>> = { join: 4, launch: 60, group: 3, PE: 0 };

const launchTwo = (): Promise<unknown> => launch(here, { pes: 2, args: "sum", heapBytes: 2 ** 24 });

function spin(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

async function play({ part, ticket }: Job): Promise<void> {
  const begins = () => parentPort?.postMessage("begins");
  // the first group requires a part of the package
  const pe = part === "group" ? await join(ticket) : null;
  begins();
  if (part === "join") await join(ticket);
  else if (part === "launch") await launchTwo();
  else pe?.group([0]);
}

/** As a PE: a sum, or launches for ever. */
const program: Spmd = spmd(async (pe: PE, args) => {
  if (args === "sum") return pe.allreduce(pe.rank, "sum");
  for (;;) await launchTwo();
});
export default program;

async function round(way: Way, span: number): Promise<void> {
  if (way === "PE") {
    const run = launch(here, { pes: 2, args: "launch", heapBytes: 2 ** 24 });
    while (run.first < 0) await delay(1);
    // its PEs are ended a quarter of a second later, wherever they are then
    await run.close();
    return;
  }
  using host = await createWorld({ pes: 1, heapBytes: 2 ** 24 });
  const at = Math.random() * span;
  const job: Job = { part: way, ticket: host.ticket(0) };
  const worker: Worker = spawnThread({ entry: here, workerData: job, name: way });
  worker.on("error", () => {});
  await once(worker, "message");
  // timers are too coarse for a part of a few ms
  if (span < 10) spin(at);
  else await delay(at);
  await worker.terminate();
}

const job = workerData as Job | null;
if (isMainThread) {
  const [way, rounds] = process.argv.slice(2) as [Way, string];
  for (let i = 0; i < Number(rounds); i++) {
    await round(way, SPANS[way]);
    writeSync(1, ".");
  }
} else if (job?.part !== undefined) {
  await play(job);
}

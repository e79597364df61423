/**
 * Worlds of every kind, one after the other, in one process: `node --expose-gc worlds.program.js WAY WORLDS SAMPLES`.
 * Prints what the process holds after some worlds at first, and then after each of the SAMPLES parts: a line of JSON,
 * Resources.
 */
import { once } from "node:events";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { createWorld, join, launch, open, type PE, type Spmd, spmd, type Ticket } from "../../../../src/index.ts";
import { count, PES, type Resources } from "./resources.ts";

/** Worlds before the first sample: code is compiled, pools and arenas of the C library are made. */
const WARM_UP = 5;

const here = sibling("./worlds.program.js", import.meta.url);
const limits = { pes: PES, heapBytes: 2 ** 24 };

const program: Spmd = spmd(async (pe: PE, args) => {
  pe.barrier();
  if (args === "fail" && pe.rank === 0) throw new Error("as it is told");
  if (args === "spin" && pe.rank === 0) for (;;);
  for (let i = 0; i < 10; i++) pe.barrier();
  return pe.allreduce(pe.rank, "sum");
});
export default program;

const failing = (run: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(run).then(
    () => Promise.reject(new Error("expected an error")),
    () => undefined,
  );

export type Way = "launch" | "open" | "join" | "fail" | "terminate" | "bare";

const ways: Readonly<Record<Way, () => Promise<unknown>>> = {
  launch: async () => await launch(here, limits),
  async open() {
    await using world = await open(limits);
    for (let i = 0; i < 2; i++) await world.run(here);
  },
  async join() {
    await using host = await createWorld(limits);
    const workers = Array.from(
      { length: PES - 1 },
      (_, i) => new Worker(here, { workerData: { ticket: host.ticket(i + 1) } }),
    );
    const ends = workers.map((worker) => once(worker, "exit"));
    const pe = await join(host.ticket(0));
    pe.barrier();
    pe.leave();
    await Promise.all(ends);
  },
  fail: () => failing(launch(here, { ...limits, args: "fail" })),
  /** PEs that never return are terminated. */
  terminate: () => failing(launch(here, { ...limits, args: "spin", timeout: 200 })),
  /** Threads without anything of ours: what Node leaves behind. */
  async bare() {
    const workers = Array.from({ length: PES }, () => new Worker("", { eval: true }));
    await Promise.all(workers.map((worker) => once(worker, "exit")));
  },
};

async function play(way: Way | "all", worlds: number): Promise<void> {
  // one in four goes wrong
  const all = [ways.launch, ways.open, ways.fail, ways.launch, ways.join, ways.open, ways.launch, ways.terminate];
  for (let i = 0; i < worlds; i++) await (way === "all" ? all[i % all.length]?.() : ways[way]());
}

if (isMainThread) {
  const [way, worlds, samples] = [process.argv[2] as Way, Number(process.argv[3]), Number(process.argv[4])];
  await play(way, WARM_UP);
  const first: Resources = await count();
  console.log(JSON.stringify(first));
  for (let i = 0; i < samples; i++) {
    await play(way, Math.ceil(worlds / samples));
    console.log(JSON.stringify(await count(first.threads)));
  }
} else if (workerData?.ticket !== undefined) {
  const pe = await join((workerData as { ticket: Ticket }).ticket);
  pe.barrier();
  pe.leave();
}

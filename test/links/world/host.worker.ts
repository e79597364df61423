/** A thread of somebody's own: takes the tickets that it is sent, one after the other, and plays a part. */
import { parentPort } from "node:worker_threads";
import { allreduce, barrier, join, type PE, type Ticket } from "../../../src/index.ts";
import { readBinding } from "../../../src/machine/topology/affinity.ts";
import { type Told, tell } from "../../collectives/programs/failing.program.ts";
import type { Case } from "../../collectives/support/cases.ts";
import { Arena } from "../../collectives/support/places.ts";
import { play } from "../../collectives/support/play.ts";

/** What the thread is to do as a PE. */
export interface Job {
  readonly ticket: Ticket;
  readonly part: keyof typeof parts;
  readonly cases?: readonly Case[];
}

/** What it says when it is done with a job. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: Told;
}

/** Room of each PE that plays cases. */
export const ARENA_BYTES: number = 2 ** 20;

const parts = {
  sum(pe: PE): unknown {
    barrier();
    return [pe.rank, pe.size, pe.cpu === null, allreduce(pe.rank, "sum")];
  },
  async play(pe: PE, cases: readonly Case[]): Promise<unknown> {
    const arena = new Arena(pe.alloc(Uint8Array, ARENA_BYTES));
    for (const one of cases) await play(pe, arena, (ranks) => pe.group(ranks), { ...one, form: "blocking" });
    return cases.length;
  },
  wait(pe: PE): void {
    pe.barrier();
    pe.barrier();
  },
  /** Stays a member for ever; the thread does something else meanwhile. */
  async stay(pe: PE): Promise<void> {
    await pe.barrierAsync();
    await new Promise(() => {});
  },
  waitAsync(pe: PE): Promise<void> {
    pe.barrier();
    return pe.barrierAsync();
  },
  /** What was sent before leaving arrives all the same. */
  leave(pe: PE): void {
    pe.barrier();
    pe.broadcast("last words", pe.rank);
  },
  exit0(pe: PE): void {
    pe.barrier();
    process.exit(0);
  },
  exit3(pe: PE): void {
    pe.barrier();
    process.exit(3);
  },
  throw(pe: PE): Promise<void> {
    pe.barrier();
    setTimeout(() => {
      throw new TypeError("nobody catches this");
    });
    return new Promise(() => {});
  },
  reject(pe: PE): Promise<void> {
    pe.barrier();
    void Promise.reject(new TypeError("nobody handles this"));
    return new Promise(() => {});
  },
  end(pe: PE): Promise<void> {
    pe.barrier();
    // nothing keeps the thread any more
    parentPort?.unref();
    return new Promise(() => {});
  },
  loop(pe: PE): void {
    pe.barrier();
    for (;;);
  },
  /** Where it may run as a PE, and afterwards. */
  affinity(pe: PE): unknown {
    pe.barrier();
    const bound = readBinding();
    pe.leave();
    pe.leave();
    return [pe.cpu, bound, readBinding()];
  },
  listeners(pe: PE): unknown {
    pe.barrier();
    return process.listenerCount("exit");
  },
};

async function work({ ticket, part, cases = [] }: Job): Promise<Answer> {
  try {
    const pe = await join(ticket);
    try {
      return { result: await (parts[part] as (pe: PE, cases: readonly Case[]) => unknown)(pe, cases) };
    } finally {
      pe.leave();
    }
  } catch (error) {
    return { error: tell(error) };
  }
}

process.on("warning", ({ name, message }) => parentPort?.postMessage({ error: { name, message } }));
parentPort?.on("message", async (job: Job) => parentPort?.postMessage(await work(job)));

/** A thread of the pool: a PE of one world after the other, as src/running/run/worker.ts is one of a single world. */
import { parentPort } from "node:worker_threads";
import { join, type Ticket } from "../../src/index.ts";
import { leavingError } from "../../src/links/transport/underway.ts";
import { seatOf } from "../../src/pe/seat-of.ts";
import { reportFailure } from "../../src/running/run/failure.ts";
import { loadProgram } from "../../src/running/run/module.ts";
import { endOf } from "./end-of.ts";

/** What the thread is to run, and as which PE. */
export interface Job {
  readonly ticket: Ticket;
  /** URL of an SPMD module. */
  readonly module: string;
  readonly args: unknown;
}

/** What main has returned; null when the world has ended with an error. */
export type Answer = { readonly value: unknown } | null;

async function run({ ticket, module, args }: Job): Promise<Answer> {
  const program = await loadProgram(module);
  const pe = await join(ticket);
  try {
    const value = await program.main(pe, args);
    const left = leavingError(pe.rank, seatOf(pe, "pool").sessions);
    if (left !== null) throw left;
    return { value };
  } catch (error) {
    const { termination, wakers } = endOf(ticket);
    reportFailure(termination, wakers, pe.rank, error);
    return null;
  } finally {
    pe.leave();
  }
}

parentPort?.on("message", async (job: Job) => parentPort?.postMessage(await run(job)));

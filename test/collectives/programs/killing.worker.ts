/**
 * A thread of somebody's own as a PE of one world after the other: makes a call once, then the one that is killed goes
 * astray.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import { join, type Ticket } from "../../../src/index.ts";
import { makeCall, prepare } from "../support/waits.ts";
import { callAll, type Note, tell } from "./failing.program.ts";

/** What the thread is to do. */
export interface Job {
  readonly ticket: Ticket;
  /** The collective, see waits.ts, and whether in its Async form. */
  readonly wait: string;
  readonly later: boolean;
  /** What the one that is killed does meanwhile; null for the others, who wait. */
  readonly astray: "loop" | "idle" | "barrier of its own" | null;
}

/** Sent when nothing but the kill is missing, and at the end by those that are left. */
export type Report = "ready" | Note;

const report = (message: Report) => parentPort?.postMessage(message);

parentPort?.on("message", async ({ ticket, wait, later, astray }: Job) => {
  const pe = await join(ticket);
  // callAll() frees two, and each call of `wait` may free one
  prepare(pe, 4);
  await makeCall(pe, wait, later);
  const others = pe.group([...Array(pe.size).keys()].reverse());
  report("ready");
  if (astray === "idle") await delay(600_000);
  // nobody else comes
  if (astray === "barrier of its own") others.barrier();
  for (; astray === "loop"; );
  try {
    await makeCall(pe, wait, later);
    // not every call waits for all
    await (later ? pe.barrierAsync() : pe.barrier());
  } catch (error) {
    report({ first: tell(error), ...(await callAll(pe)) });
  }
  pe.leave();
});

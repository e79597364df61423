/**
 * The worlds that this thread has joined and not left. When the thread ends, their other PEs are notified. A world that
 * has ended needs no notification and is removed.
 */
import type { RankLostError } from "../../ground/base/errors.ts";
import { LOST } from "../../ground/wait/layout.ts";
import type { Termination } from "../../ground/wait/termination.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";

/** This thread as one PE of one world. */
export interface Membership {
  readonly rank: number;
  readonly wakers: Wakers;
  readonly termination: Termination;
  /** The error of a PE that leaves now; null if it may leave. */
  leavingError(): RankLostError | null;
}

const memberships = new Set<Membership>();

/** From now on the end of this thread is the loss of the PE. Returns a function that undoes this. */
export function enter(membership: Membership): () => void {
  forgetEnded();
  if (memberships.size === 0) process.on("exit", onExit);
  memberships.add(membership);
  return () => forget(membership);
}

/** Removes the worlds that have ended: no PE waits there any more. */
export function forgetEnded(): void {
  for (const membership of memberships) if (membership.termination.decided) forget(membership);
}

function forget(membership: Membership): void {
  if (memberships.delete(membership) && memberships.size === 0) process.removeListener("exit", onExit);
}

function onExit(code: number): void {
  for (const { rank, wakers, termination, leavingError } of memberships) {
    const left = leavingError();
    if (code !== 0) termination.decide(LOST, { rank, message: `PE ${rank}'s thread ended with exit code ${code}` });
    else if (left !== null) termination.decide(LOST, left);
    else {
      wakers.depart(rank);
      continue;
    }
    wakers.notifyAll();
  }
}

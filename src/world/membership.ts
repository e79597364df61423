/**
 * The worlds that this thread has joined and not left. Their other PEs are told when the thread ends; a
 * world that has ended itself needs no telling, and is forgotten.
 */
import type { RankLostError } from "../base/errors.ts";
import { LOST } from "../wait/layout.ts";
import type { Termination } from "../wait/termination.ts";
import type { Wakers } from "../wait/wakers.ts";

/** This thread as one PE of one world. */
export interface Membership {
  readonly rank: number;
  readonly wakers: Wakers;
  readonly termination: Termination;
  /** The error of a PE that leaves now; null when it may. */
  leavingError(): RankLostError | null;
}

const memberships = new Set<Membership>();

/** From now on the end of this thread is the loss of the PE; gives what takes that back. */
export function enter(membership: Membership): () => void {
  forgetEnded();
  if (memberships.size === 0) process.on("exit", onExit);
  memberships.add(membership);
  return () => forget(membership);
}

/** Forgets the worlds that have ended: nobody waits there any more. */
export function forgetEnded(): void {
  for (const membership of memberships) if (membership.termination.decided) forget(membership);
}

function forget(membership: Membership): void {
  if (memberships.delete(membership) && memberships.size === 0) process.removeListener("exit", onExit);
}

function onExit(code: number): void {
  for (const { rank, wakers, termination, leavingError } of memberships) {
    const left = leavingError();
    if (code !== 0)
      termination.decide(LOST, { rank, message: `PE ${rank}'s thread ended with exit code ${code}` });
    else if (left !== null) termination.decide(LOST, left);
    else {
      wakers.depart(rank);
      continue;
    }
    wakers.notifyAll();
  }
}

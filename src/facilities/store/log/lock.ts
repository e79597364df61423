/** One owner at a time of a log's folder (base/files/claim). */

import { LogLockedError } from "../../../ground/base/errors.ts";
import { Claim } from "../../../ground/base/files/claim/claim.ts";
import { type Rival, Rivals } from "../../../ground/base/files/claim/rivals.ts";

const PREFIX = "lock";
/** The time without a sign of life after which an owner without a lock of the kernel is taken for gone. */
export const STALE_MS = 10_000;
const LOOK_MS = 100;

/** A folder that was taken. */
export interface FolderLock {
  readonly claim: Claim;
  /** Whether an owner did not give it back: it may still write for a moment, if it lives against all appearance. */
  readonly isTakenOver: boolean;
}

/** Takes the folder; waits where only time tells whether an owner is gone. @throws LogLockedError; the system's */
export function lockFolder(folder: string, staleMs: number): FolderLock {
  const claim = Claim.make(folder, PREFIX);
  try {
    const rivals = new Rivals(folder, PREFIX, staleMs);
    for (let rival = rivals.look(claim); rival !== null; rival = rivals.look(claim)) {
      if (rival.isSure) throw heldError(folder, rival);
      Atomics.wait(sleeping, 0, 0, LOOK_MS);
    }
    return { claim, isTakenOver: rivals.hasTaken };
  } catch (error) {
    claim.release();
    throw error;
  }
}

/** That the own claim was taken away. */
export function lostError(folder: string, call: string): LogLockedError {
  let rival: Rival | null = null;
  try {
    rival = new Rivals(folder, PREFIX, STALE_MS).look(null);
  } catch {
    // the folder itself may be gone
  }
  const by = rival === null ? "" : `: it is open in ${nameOf(rival)}`;
  return new LogLockedError(
    folder,
    `${call}: the log ${folder} was taken over while this process was stopped, or its lock file was removed${by}. What this call was to write does not count. Close the log, and open it again when the other one has closed it.`,
  );
}

const heldError = (folder: string, rival: Rival): LogLockedError =>
  new LogLockedError(
    folder,
    `${folder}: the log is open in ${nameOf(rival)}. Close it there first; if that process is gone, remove ${rival.file}.`,
  );

const nameOf = ({ file, owner }: Rival): string =>
  owner === undefined ? `a process that ${file} does not name` : `process ${owner.pid} of ${owner.host}`;

const sleeping = new Int32Array(new SharedArrayBuffer(4));

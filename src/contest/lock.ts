/**
 * One contest at a time, as two would disturb each other's measurements. A lock file in the folder of the choices names
 * the process that runs one.
 *
 * The process that creates the file runs its contest, and removes the file afterwards. Other processes wait for a
 * while. A file is stale if its process has exited (killed in the middle), if it is older than any contest may take
 * (this also covers processes of other machines and containers that share the folder), or if it has been empty for a
 * second.
 *
 * Limits: a process that finds a stale file just when another process replaces it may remove the new one; then two
 * contests disturb each other, once. Without a folder there is no lock.
 */

import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { monotonic, sleep, wallClock } from "../base/event-loop/timers.ts";
import { makeFolder } from "../base/files/folder.ts";

/** Longer than any contest, whose limit is 30 s. */
const STALE_MS = 60_000;
/** The creator writes to the file at once; an empty file of this age is from a process that was killed in between. */
const EMPTY_MS = 1000;
/** Longest wait for other processes' contests, ms. */
const LOCK_TIMEOUT_MS = 5000;
const LOOK_MS = 20;

/** Releases the lock. */
export type Release = () => void;

/**
 * Waits until no other contest runs, and takes the lock.
 * @param file the lock file; null if there is no folder for it
 * @returns null if another contest has not ended in time
 * @throws the reason of the signal
 */
export async function holdLock(
  file: string | null,
  { signal, patience = LOCK_TIMEOUT_MS }: { signal?: AbortSignal | undefined; patience?: number } = {},
): Promise<Release | null> {
  if (file === null) return () => {};
  for (const until = monotonic() + patience; ; await sleep(LOOK_MS)) {
    signal?.throwIfAborted();
    const own = take(file);
    if (own !== undefined) return own;
    if (isLeftOver(file)) {
      try {
        rmSync(file, { force: true });
      } catch {
        return () => {}; // a file that cannot be removed must not block contests
      }
    } else if (monotonic() >= until) return null;
  }
}

/** Creates the file; undefined if it exists. A folder that cannot be written to has no lock. */
function take(file: string): Release | undefined {
  const text = `${process.pid} ${hostname()}\n`;
  try {
    makeFolder(dirname(file));
  } catch {
    // also if a plain file has the folder's name: its EEXIST does not mean that the lock is held
    return () => {};
  }
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST" ? undefined : () => {};
  }
  return () => {
    // unless another process took this file for stale and replaced it
    if (textOf(file) === text) rmSync(file, { force: true });
  };
}

function isLeftOver(file: string): boolean {
  try {
    const { mtimeMs, size } = statSync(file);
    if (wallClock() - mtimeMs > (size === 0 ? EMPTY_MS : STALE_MS)) return true;
  } catch {
    return false; // it was just removed
  }
  const [pid, host] = (textOf(file) ?? "").trim().split(" ");
  return host === hostname() && !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

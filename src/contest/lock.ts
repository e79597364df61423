/**
 * One contest at a time: two would measure each other. A file in the folder of the choices says who holds one.
 *
 * What: who makes the file holds the contest, and removes it in the end. Others wait for a while. A file is left
 * over when its process is gone (killed in the middle), when it is older than any contest may take, which also
 * covers processes of other machines and containers that share the folder, or when it has been empty for a second.
 *
 * Limits: who finds a left-over file at the very moment in which another removes it and begins anew may remove
 * that one's; then two contests disturb each other, once. Without a folder there is no lock.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { makeFolder } from "./folder.ts";

/** No contest takes as long: it has a limit of 30 s. */
const STALE_MS = 60_000;
/** Who makes the file writes to it at once; an empty one as old is of a process killed in between. */
const EMPTY_MS = 1000;
/** How long others' contests are waited for. */
const PATIENCE_MS = 5000;
const LOOK_MS = 20;

/** Ends the hold. */
export type Release = () => void;

/**
 * Waits until no other contest is held, and holds that off until it is released.
 * @param file the lock; null when there is no folder to have it in
 * @returns null when somebody else's has not ended in time
 * @throws the reason of the signal
 */
export async function holdLock(
  file: string | null,
  { signal, patience = PATIENCE_MS }: { signal?: AbortSignal | undefined; patience?: number } = {},
): Promise<Release | null> {
  if (file === null) return () => {};
  for (const until = performance.now() + patience; ; await setTimeout(LOOK_MS)) {
    signal?.throwIfAborted();
    const own = take(file);
    if (own !== undefined) return own;
    if (isLeftOver(file)) {
      try {
        rmSync(file, { force: true });
      } catch {
        return () => {}; // what cannot be removed locks nobody out
      }
    } else if (performance.now() >= until) return null;
  }
}

/** Makes the file; undefined when there is one. A folder that cannot be written to has no lock. */
function take(file: string): Release | undefined {
  const text = `${process.pid} ${hostname()}\n`;
  try {
    makeFolder(dirname(file));
  } catch {
    // also where a plain file has the folder's name: its EEXIST is no lock that is held
    return () => {};
  }
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EEXIST" ? undefined : () => {};
  }
  return () => {
    // not another's, who has taken this one for left over
    if (textOf(file) === text) rmSync(file, { force: true });
  };
}

function isLeftOver(file: string): boolean {
  try {
    const { mtimeMs, size } = statSync(file);
    if (Date.now() - mtimeMs > (size === 0 ? EMPTY_MS : STALE_MS)) return true;
  } catch {
    return false; // it has just gone
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

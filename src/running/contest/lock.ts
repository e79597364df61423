/**
 * One contest at a time, as two would disturb each other's measurements: who runs one has a claim on the folder of the
 * choices (base/files/claim). Other processes wait for a while.
 *
 * A claim is given up when its owner is gone, or if it is older than any contest may take (this covers what processes
 * of other machines have left, whose end cannot be seen from here).
 *
 * Limits: the age is by the clock; where this steps, two contests may disturb each other, once. Without a folder there
 * is no lock.
 */
import { rmSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { monotonic, sleep, wallClock } from "../../ground/base/event-loop/timers.ts";
import { Claim } from "../../ground/base/files/claim/claim.ts";
import { type Rival, Rivals } from "../../ground/base/files/claim/rivals.ts";
import { makeFolder } from "../../ground/base/files/folder.ts";

/** Longer than any contest, whose limit is 30 s. */
const OLD_MS = 60_000;
/** Without a sign of life for so long an owner without a lock of the kernel is gone: less than others wait. */
const STALE_MS = 3000;
/** Longest wait for other processes' contests, ms. */
const LOCK_TIMEOUT_MS = 5000;
const LOOK_MS = 20;

/** Releases the lock. */
export type Release = () => void;

/**
 * Waits until no other contest runs, and takes the lock.
 * @param file the beginning of the path of lock files; null if there is no folder for them
 * @returns null if another contest has not ended in time
 * @throws the reason of the signal
 */
export async function holdLock(
  file: string | null,
  {
    signal,
    patience = LOCK_TIMEOUT_MS,
    oldMs = OLD_MS,
  }: { signal?: AbortSignal | undefined; patience?: number; oldMs?: number } = {},
): Promise<Release | null> {
  if (file === null) return () => {};
  const folder = dirname(file);
  const prefix = basename(file);
  const rivals = new Rivals(folder, prefix, STALE_MS);
  // two that have seen each other come again at different times
  for (const until = monotonic() + patience; ; await sleep(LOOK_MS * (1 + Math.random()))) {
    signal?.throwIfAborted();
    try {
      makeFolder(folder);
      const rival = rivals.look(null);
      if (rival === null) {
        const own = Claim.make(folder, prefix);
        if (rivals.look(own) === null) return () => giveBack(own);
        giveBack(own);
      } else dropOld(rival, oldMs);
    } catch {
      return () => {}; // a folder that cannot be used must not block contests
    }
    if (monotonic() >= until) return null;
  }
}

function giveBack(own: Claim): void {
  try {
    own.release();
  } catch {
    // it grows old
  }
}

/** By the time of its last change of any kind: that of its content is counted (ground/base/files/claim/beat.ts). */
function dropOld({ file }: Rival, oldMs: number): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found !== undefined && wallClock() - found.ctimeMs > oldMs) rmSync(file, { force: true });
}

/** The other claims of a folder: which of their owners live. claim.ts has the rules. */
import { closeSync, fstatSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { monotonic } from "../../event-loop/timers.ts";
import { type Claim, PART } from "./claim.ts";
import { kernelLock } from "./kernel-lock.ts";
import { hasEnded, isOfThisMachine, type Owner, ownerIn } from "./owner.ts";

/** Another claim. */
export interface Rival {
  readonly file: string;
  /** Undefined if the name tells none: a file that somebody else has put there. */
  readonly owner: Owner | undefined;
  /** False: its file is to be watched for longer. */
  readonly isSure: boolean;
}

/** The last view of a file whose time is to change. */
interface Watched {
  time: number;
  stillMs: number;
  lookedAt: number;
}

/**
 * The most that one look adds to the time without a change, ms: while a machine sleeps, or all of its processes are
 * stopped, nobody could have given a sign of life.
 */
const MOST_OF_A_LOOK_MS = 250;

/** Looks for rivals again and again. */
export class Rivals {
  /** Whether a claim was taken away whose owner did not give it back. */
  hasTaken = false;
  readonly #folder: string;
  readonly #prefix: string;
  readonly #staleMs: number;
  readonly #watched = new Map<string, Watched>();

  /** @param staleMs the time without a change after which the owner of a file is taken for gone */
  constructor(folder: string, prefix: string, staleMs: number) {
    this.#folder = folder;
    this.#prefix = `${prefix}.`;
    this.#staleMs = staleMs;
  }

  /** Removes the files of owners that are gone. @returns one that may not be; or null @throws the system's error */
  look(own: Claim | null): Rival | null {
    let unsure: Rival | null = null;
    for (const name of readdirSync(this.#folder)) {
      if (!name.startsWith(this.#prefix)) continue;
      const file = join(this.#folder, name);
      if (file === own?.file) continue;
      const isPart = name.endsWith(PART);
      const owner = ownerIn(name.slice(this.#prefix.length, isPart ? -PART.length : undefined));
      if (isPart) {
        // a claim that is being made, or was when its owner died
        if (owner !== undefined && hasEnded(owner)) rmSync(file, { force: true });
        continue;
      }
      const isGone = owner === undefined ? false : this.#isGone(file, owner);
      if (isGone === false) return { file, owner, isSure: true };
      if (isGone === undefined) unsure = { file, owner, isSure: false };
      else {
        rmSync(file, { force: true });
        this.hasTaken = true;
      }
    }
    return unsure;
  }

  /** Undefined: that is not known yet. */
  #isGone(file: string, owner: Owner): boolean | undefined {
    if (owner.kind === "kernel") {
      const isFree = isLockFree(file);
      if (isFree !== undefined) return isFree && isOfThisMachine(owner);
    }
    return hasEnded(owner) ?? (owner.kind === "beat" ? this.#isStill(file) : false);
  }

  #isStill(file: string): boolean | undefined {
    const time = timeOf(file);
    // it was given back just now
    if (time === undefined) return true;
    const now = monotonic();
    const watched = this.#watched.get(file);
    if (watched === undefined) {
      this.#watched.set(file, { time, stillMs: 0, lookedAt: now });
      return undefined;
    }
    const passed = Math.min(now - watched.lookedAt, MOST_OF_A_LOOK_MS);
    watched.lookedAt = now;
    if (time !== watched.time) {
      watched.time = time;
      watched.stillMs = 0;
      return false;
    }
    watched.stillMs += passed;
    return watched.stillMs >= this.#staleMs ? true : undefined;
  }
}

/** Undefined without koffi, or where this file system has no locks. */
function isLockFree(file: string): boolean | undefined {
  const locks = kernelLock();
  const fd = locks === null ? undefined : openedFile(file);
  if (locks === null) return undefined;
  // it was given back just now
  if (fd === undefined) return true;
  try {
    // shared: who looks at the same time does not take this one for the owner
    const result = locks.lock(fd, true);
    return result === "unsupported" ? undefined : result === "locked";
  } finally {
    closeSync(fd);
  }
}

/** Read through an open file, as a network file system asks its server then. */
function timeOf(file: string): number | undefined {
  const fd = openedFile(file);
  if (fd === undefined) return undefined;
  try {
    return fstatSync(fd).mtimeMs;
  } finally {
    closeSync(fd);
  }
}

/** Undefined if there is none. */
function openedFile(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

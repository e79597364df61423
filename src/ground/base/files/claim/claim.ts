/**
 * One owner at a time of a folder. Who wants it puts an empty file there whose name tells who it is (owner.ts), and
 * then looks for files of others: one whose owner is gone is removed, one whose owner lives means that the folder is
 * taken, and the own file is removed again. The file comes before the look: so of two that come at the same time at
 * least one sees the other. Both may be refused then.
 *
 * Whether an owner is gone (rivals.ts):
 *
 *     its claim       seen by who has koffi              seen by who has none
 *     "kernel"        its lock is free                   its thread has ended; who cannot see that takes nothing
 *     "beat"          its thread has ended; who cannot see that: its file has not changed for some time
 *
 * The file is the owner's token too. An owner that was taken for gone though it lives (it was stopped for long, or
 * somebody removed its file) has none any more: it looks before and after each write.
 *
 * Limits: two machines of one name, on a file system that does not share locks between them, take each other for
 * restarted.
 */
import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beat } from "./beat.ts";
import { type KernelLock, kernelLock } from "./kernel-lock.ts";
import { type ClaimKind, ownerHere, ownerName } from "./owner.ts";

/** The end of a file's name before it counts. */
export const PART = "~";

/** One thread's claim of a folder. It counts when no rival was found after it was made. */
export class Claim {
  readonly file: string;
  /** Of this claim alone. */
  readonly token: string;
  #end: () => void = () => {};

  private constructor(folder: string, prefix: string, kind: ClaimKind) {
    const owner = ownerHere(kind);
    this.token = owner.token;
    this.file = join(folder, `${prefix}.${ownerName(owner)}`);
  }

  /** Claims a folder, for the purpose that the prefix tells. @throws the system's error */
  static make(folder: string, prefix: string): Claim {
    const locks = kernelLock();
    if (locks !== null) {
      const locked = new Claim(folder, prefix, "kernel");
      if (locked.#lock(locks)) return locked;
    }
    const beating = new Claim(folder, prefix, "beat");
    beating.#beat();
    return beating;
  }

  /** Whether nobody has taken it away. */
  isHeld(): boolean {
    return existsSync(this.file);
  }

  /** Leaves the folder to others. @throws the system's error if its file cannot be removed */
  release(): void {
    try {
      rmSync(this.file, { force: true });
    } finally {
      this.#end();
    }
  }

  /** The file has its lock before it has its name. @returns false if this file system has no locks */
  #lock(locks: KernelLock): boolean {
    const part = this.file + PART;
    const fd = openSync(part, "wx");
    let isLocked = false;
    try {
      if (locks.lock(fd, false) !== "locked") return false;
      renameSync(part, this.file);
      isLocked = true;
    } finally {
      if (!isLocked) {
        closeSync(fd);
        rmSync(part, { force: true });
      }
    }
    this.#end = () => {
      // a program that is being started has a copy of the descriptor for a moment
      locks.unlock(fd);
      closeSync(fd);
    };
    return true;
  }

  #beat(): void {
    closeSync(openSync(this.file, "wx"));
    try {
      this.#end = beat(this.file);
    } catch (error) {
      rmSync(this.file, { force: true });
      throw error;
    }
  }
}

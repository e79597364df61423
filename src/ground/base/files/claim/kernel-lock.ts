/**
 * A lock that the kernel holds on an open file (flock(2), by native.ts). It holds between containers and PID
 * namespaces of one kernel, between two opens in one process, and over NFS, where the server keeps it. It ends with the
 * open file: when that is closed, when the thread ends that opened it (Node.js closes its files), when the process dies
 * in whatever way. Files that Node.js opens are not inherited by programs that are started.
 *
 * Not fcntl(F_SETLK): those belong to a process, and any close of the file ends them.
 */
import { constants } from "node:os";
import { native } from "../../native/native.ts";
import { shield } from "../../shield.ts";

/** "unsupported": by this file system. */
export type LockResult = "locked" | "busy" | "unsupported";

export interface KernelLock {
  /** Locks an open file, without waiting; `shared`: together with others that share it. */
  lock(fd: number, shared: boolean): LockResult;
  unlock(fd: number): void;
}

const LOCK_SH = 1;
const LOCK_EX = 2;
const LOCK_NB = 4;
const LOCK_UN = 8;

let opened: KernelLock | null | undefined;

/** The calls of this thread, opened once; null without native code, and on Windows. */
export function kernelLock(): KernelLock | null {
  if (opened === undefined) opened = shield(open);
  return opened;
}

function open(): KernelLock | null {
  const k = process.platform === "win32" ? null : native();
  if (!k) return null;
  const { EAGAIN, EINTR } = constants.errno;
  try {
    const flock = k.load(null).func("int flock(int fd, int operation)");
    return {
      lock(fd, shared) {
        for (;;) {
          if (flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) === 0) return "locked";
          const error = k.errno();
          if (error === EAGAIN) return "busy";
          if (error !== EINTR) return "unsupported";
        }
      },
      unlock: (fd) => flock(fd, LOCK_UN),
    };
  } catch {
    return null; // a libc without this function
  }
}

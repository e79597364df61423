/**
 * One owner at a time of a log's folder. Who wants it writes an empty file whose name tells who it is, and then looks for files of others:
 * one whose owner is gone is removed, one whose owner lives means that the folder is taken, and the own file is removed again.
 *
 * The file comes before the look: so of two that come at the same time at least one sees the other. Both may be refused then. As a name
 * belongs to one owner, removing the file of one that is gone never removes that of another one.
 *
 * An owner is a thread: its process and, on Linux, its number and the time at which it began, so that neither a number that is used again
 * nor a PE that was lost in a process that lives keeps a folder. Limits: elsewhere an owner is a process. An owner on another machine, or in
 * another container (by host name), counts as alive.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { LogLockedError } from "../../base/errors.ts";
import type { Disk } from "./disk.ts";

interface Owner {
  readonly pid: number;
  /** The number of the thread, and when it began by the machine's clock; 0 where this is not known. */
  readonly thread: number;
  readonly began: string;
  readonly host: string;
}

const PREFIX = "lock";

/** Takes the folder. @returns what releases it @throws LogLockedError; the system's error */
export function lockFolder(disk: Disk, folder: string): () => void {
  const own = nameOf(thisThread());
  const isMine = disk.list(folder).includes(own);
  if (isMine) throw lockedError(folder, thisThread(), own);
  const file = join(folder, own);
  disk.close(disk.create(file));
  try {
    for (const name of disk.list(folder)) {
      const owner = name === own ? undefined : ownerIn(name);
      if (owner === undefined) continue;
      if (isAlive(owner)) throw lockedError(folder, owner, name);
      disk.remove(join(folder, name));
    }
  } catch (error) {
    disk.remove(file);
    throw error;
  }
  return () => disk.remove(file);
}

const lockedError = (folder: string, { pid, host }: Owner, name: string): LogLockedError =>
  new LogLockedError(
    folder,
    `${folder}: the log is open in process ${pid} of ${host}. Close it there first; if that process is gone, remove ${join(folder, name)}.`,
  );

const nameOf = ({ pid, thread, began, host }: Owner): string => [PREFIX, pid, thread, began, host].join(".");

function ownerIn(name: string): Owner | undefined {
  const found = /^lock\.(\d+)\.(\d+)\.([\w-]+)\.(.+)$/.exec(name);
  if (found === null) return undefined;
  const [, pid, thread, began, host] = found as unknown as [string, string, string, string, string];
  return { pid: Number(pid), thread: Number(thread), began, host };
}

const thisHost = (): string => hostname().replaceAll(/[^\w.-]/g, "_") || "unnamed";

function thisThread(): Owner {
  const pid = process.pid;
  const thread = threadHere();
  return { pid, thread, began: beganAt(pid, thread) ?? "0", host: thisHost() };
}

/** The number of this thread in Linux; 0 elsewhere. The link is read by this thread itself, as the call is synchronous. */
function threadHere(): number {
  try {
    return Number(/(\d+)$/.exec(readlinkSync("/proc/thread-self"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** When a thread began, with the start of the machine; undefined if there is no such thread, or this is not Linux. */
function beganAt(pid: number, thread: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    // behind the name, which may have blanks: the time is field 22
    return `${stat.replace(/.*\) /s, "").split(" ")[19]}-${boot}`;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, thread, began, host }: Owner): boolean {
  if (host !== thisHost()) return true;
  if (began !== "0" && threadHere() !== 0) return beganAt(pid, thread) === began;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Who has claimed a folder, told by the name of an empty file. A name belongs to one claim, so who removes the file of
 * an owner that is gone never removes that of another one.
 *
 *     lock.kernel.4711.4712.8893.966c14e7-…-38c401-21.5f0c2a99.hostname
 *          kind   pid  thread │    system             token    host
 *                             began
 */
import { readFileSync, readlinkSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { nodeCrypto } from "../../node-crypto.ts";

/** "kernel": a lock of the kernel is held on the file; "beat": its time is changed again and again. */
export type ClaimKind = "kernel" | "beat";

export interface Owner {
  readonly kind: ClaimKind;
  readonly pid: number;
  /** The number of the thread, and when it began by the machine's clock; 0 where this is not known. */
  readonly thread: number;
  readonly began: string;
  /** The start of the machine, and the /proc by which threads are numbered; {@link NO_SYSTEM} where there is none. */
  readonly system: string;
  readonly token: string;
  readonly host: string;
}

const NO_SYSTEM = "0";

/** This thread, with a new token. */
export function ownerHere(kind: ClaimKind): Owner {
  // the link is read by this thread itself, as the call is synchronous
  const [pid, thread] = numbersHere() ?? [process.pid, 0];
  const began = thread === 0 ? undefined : beganAt(pid, thread);
  return {
    kind,
    pid,
    thread,
    began: began ?? "0",
    system: began === undefined ? NO_SYSTEM : systemHere(),
    token: nodeCrypto().randomUUID().slice(0, 8),
    host: hostHere(),
  };
}

export const ownerName = ({ kind, pid, thread, began, system, token, host }: Owner): string =>
  [kind, pid, thread, began, system, token, host].join(".");

/** The owner of a name; undefined if it is of another form. */
export function ownerIn(name: string): Owner | undefined {
  const [kind, pid, thread, began, system, token, ...rest] = name.split(".") as [ClaimKind, ...string[]];
  const host = rest.join(".");
  if ((kind !== "kernel" && kind !== "beat") || !pid || !thread || !began || !system || !token || !host)
    return undefined;
  return { kind, pid: Number(pid), thread: Number(thread), began, system, token, host };
}

/** Whether it runs on the same kernel since its start, or on a machine of the same name before that. */
export const isOfThisMachine = ({ system, host }: Owner): boolean =>
  host === hostHere() || (system !== NO_SYSTEM && bootOf(system) === bootOf(systemHere()));

/**
 * Whether the owner's thread has ended; undefined if this thread cannot see it: in another PID namespace or on another
 * machine, where the same number is somebody else.
 */
export function hasEnded({ pid, thread, began, system }: Owner): boolean | undefined {
  if (system === NO_SYSTEM || system !== systemHere()) return undefined;
  return beganAt(pid, thread) !== began;
}

const hostHere = (): string => hostname().replaceAll(/[^\w.-]/g, "_") || "unnamed";

/** The numbers of this process and this thread, as the /proc that is mounted here has them. */
function numbersHere(): [number, number] | undefined {
  try {
    const found = /^(\d+)\/task\/(\d+)$/.exec(readlinkSync("/proc/thread-self"));
    return found === null ? undefined : [Number(found[1]), Number(found[2])];
  } catch {
    return undefined;
  }
}

/** When a thread began; undefined if it has ended, or this is not Linux. */
function beganAt(pid: number, thread: number): string | undefined {
  try {
    // behind the name, which may have blanks: the state is field 3, the time field 22
    const fields = readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1").replace(/.*\) /s, "").split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function systemHere(): string {
  try {
    // a /proc that hides the processes of others would let them look ended
    readFileSync("/proc/1/stat");
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    // each PID namespace has a /proc of its own, and so a number of its own for that file system
    return `${boot}-${statSync("/proc").dev}`;
  } catch {
    return NO_SYSTEM;
  }
}

const bootOf = (system: string): string => system.slice(0, system.lastIndexOf("-"));

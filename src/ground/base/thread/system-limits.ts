/** The limits of Linux that stop threads, and the use of each. Null where not known, or not there. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A limit, and what is used of it. */
export interface Limit {
  readonly used: number;
  readonly most: number;
  /** Its use, as a sentence without its stop. */
  readonly text: string;
  /** The remedy where it is reached. */
  readonly advice: string;
}

const PAGE_BYTES = 4096;
const NEWLINE = 10;

/** Of vm.max_map_count. */
export function mappings(): Limit | null {
  const most = numberIn("/proc/sys/vm/max_map_count");
  const maps = bytesOf("/proc/self/maps");
  if (most === null || maps === null) return null;
  let used = 0;
  for (let at = maps.indexOf(NEWLINE); at >= 0; at = maps.indexOf(NEWLINE, at + 1)) used++;
  return {
    used,
    most,
    text: `This process has ${used} mappings of memory, of at most ${most} (vm.max_map_count)`,
    advice: `Use fewer PEs, release what maps memory, or raise the limit (sysctl -w vm.max_map_count=${most * 4}).`,
  };
}

/** Of ulimit -v, bytes. */
export function addressSpace(): Limit | null {
  const most = ulimit("Max address space");
  const pages = most === null ? null : numberIn("/proc/self/statm");
  if (most === null || pages === null) return null;
  const used = pages * PAGE_BYTES;
  return {
    used,
    most,
    text: `This process has ${mib(used)} MiB of address space, of at most ${mib(most)} MiB (ulimit -v)`,
    advice: "Use fewer PEs or heaps at a time, or raise the limit.",
  };
}

const mib = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** Of ulimit -u, and of the control groups of this process. */
export function threadLimits(): Limit[] {
  return [ofUser(), ...ofGroups()].filter((limit) => limit !== null);
}

function ofUser(): Limit | null {
  const most = ulimit("Max processes");
  const user = process.getuid?.();
  if (most === null || user === undefined) return null;
  const used = threadsOf(user);
  return {
    used,
    most,
    text: `User ${user} has ${used} threads, of at most ${most} (ulimit -u)`,
    advice: "Use fewer PEs, end other programs of this user, or raise the limit.",
  };
}

/** The threads of all processes of a user that this one can see. */
function threadsOf(user: number): number {
  let threads = 0;
  for (const pid of processes()) {
    const status = textIn(`/proc/${pid}/status`) ?? "";
    if (Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]) === user) threads += Number(/^Threads:\s+(\d+)/m.exec(status)?.[1]);
  }
  return threads;
}

/** From the group of this process up to the root, in both versions of cgroups. */
function ofGroups(): (Limit | null)[] {
  const limits: (Limit | null)[] = [];
  for (const [, kind, path] of (textIn("/proc/self/cgroup") ?? "").matchAll(/^\d+:(pids)?:(\/.*)$/gm)) {
    const root = join("/sys/fs/cgroup", kind ?? "");
    for (let group = path as string; ; group = dirname(group)) {
      limits.push(ofGroup(join(root, group)));
      if (group === dirname(group)) break;
    }
  }
  return limits;
}

function ofGroup(folder: string): Limit | null {
  const [used, most] = [numberIn(join(folder, "pids.current")), numberIn(join(folder, "pids.max"))];
  if (used === null || most === null) return null;
  return {
    used,
    most,
    text: `This container or control group has ${used} threads, of at most ${most} (${join(folder, "pids.max")})`,
    advice: "Use fewer PEs, or raise the limit (docker run --pids-limit, TasksMax of systemd).",
  };
}

/** A soft limit of this process. */
function ulimit(name: string): number | null {
  const found = new RegExp(`^${name} +(\\d+)`, "m").exec(textIn("/proc/self/limits") ?? "");
  return found === null ? null : Number(found[1]);
}

/** The first number of a file that begins with one. */
function numberIn(file: string): number | null {
  const found = /^\d+/.exec(textIn(file) ?? "");
  return found === null ? null : Number(found[0]);
}

const textIn = (file: string): string | null => bytesOf(file)?.toString() ?? null;

function bytesOf(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    // not Linux, no right to read it, no descriptor left, or it has ended
    return null;
  }
}

function processes(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/**
 * The CPUs that the calling thread may run on.
 *
 * Linux only, by libc (native.ts). Without native code the affinity of a thread can still be read from /proc, but not
 * changed. A new worker inherits the mask of the thread that started it: pin each worker from inside, and never the
 * thread that starts others.
 *
 * Source: sched_setaffinity(2), "Handling systems with large CPU affinity masks". Example: pinThread(1) sets the mask
 * 0b10; readBinding() is then [1].
 */
import { readFileSync } from "node:fs";
import { parseCpuList } from "node-hwloc/cpu-list";
import { UsageError } from "../../ground/base/errors.ts";
import { native } from "../../ground/base/native/native.ts";
import { shield } from "../../ground/base/shield.ts";

interface Libc {
  setAffinity(thread: 0, bytes: number, mask: Uint8Array): number;
  getAffinity(thread: 0, bytes: number, mask: Uint8Array): number;
}

let libc: Libc | null | undefined;

function openLibc(): Libc | null {
  if (libc === undefined) libc = shield(findLibc);
  return libc;
}

function findLibc(): Libc | null {
  try {
    // null is the running program, which contains libc whatever its file is called
    const self = process.platform === "linux" ? native()?.load(null) : undefined;
    if (!self) return null;
    return {
      setAffinity: self.func("int sched_setaffinity(int thread, size_t bytes, const void *mask)"),
      getAffinity: self.func("int sched_getaffinity(int thread, size_t bytes, _Out_ void *mask)"),
    } as unknown as Libc;
  } catch {
    return null; // a libc without these functions
  }
}

/** The smallest mask passed to the kernel: glibc's cpu_set_t, 1024 CPUs. */
const MASK_BYTES = 128;
/** 524 288 CPUs, far above the kernel's largest NR_CPUS. */
const MOST_MASK_BYTES = 1 << 16;

/**
 * Lets the calling thread run on these CPUs only (the operating system's numbers).
 * @returns whether it succeeded; false without native code, on systems other than Linux, and for CPUs that the thread
 *   may not use
 * @throws UsageError for an invalid CPU number, and for an empty list
 */
export function pinThread(cpus: number | readonly number[]): boolean {
  const list = typeof cpus === "number" ? [cpus] : cpus;
  const bad = list.find((cpu) => !Number.isSafeInteger(cpu) || cpu < 0);
  if (bad !== undefined || list.length === 0) {
    throw new UsageError(`pinThread() expected one or more CPU numbers >= 0, got [${list.join(", ")}].`);
  }
  const bytes = Math.max(MASK_BYTES, 8 * Math.ceil((Math.max(...list) + 1) / 64));
  const native = openLibc();
  if (!native || bytes > MOST_MASK_BYTES) return false;
  const mask = new Uint8Array(bytes);
  // a mask is an array of longs; its bytes are in ascending order as all platforms with native code are little-endian
  for (const cpu of list) mask[cpu >> 3] = (mask[cpu >> 3] as number) | (1 << (cpu & 7));
  return native.setAffinity(0, bytes, mask) === 0;
}

/** The CPUs that the calling thread may run on, ascending; null if unknown. */
export function readBinding(): number[] | null {
  const native = openLibc();
  // the kernel rejects a mask smaller than its own, whose size it does not report
  for (let bytes = MASK_BYTES; native && bytes <= MOST_MASK_BYTES; bytes *= 2) {
    const mask = new Uint8Array(bytes);
    if (native.getAffinity(0, bytes, mask) === 0) return members(mask);
  }
  return allowedList("/proc/thread-self/status");
}

/** The CPUs that this process may run on, ascending: its main thread's mask; null if unknown. */
export function readProcessBinding(): number[] | null {
  return allowedList("/proc/self/status");
}

function members(mask: Uint8Array): number[] {
  const cpus: number[] = [];
  mask.forEach((byte, i) => {
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) cpus.push(8 * i + bit);
  });
  return cpus;
}

function allowedList(path: string): number[] | null {
  try {
    const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync(path, "utf8"))?.[1];
    return list === undefined ? null : parseCpuList(list);
  } catch {
    return null; // not Linux
  }
}

/** The clocks of the measurements, and the cost of reading the first one. */

import { readFileSync } from "node:fs";
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";

/** Now, in ns since this thread started. */
export const now = (): number => monotonic() * 1e6;

/** Cost of one {@link now} in ns, to be subtracted from a time between two of them. */
export function clockOverhead(): number {
  const samples = new Float64Array(2000);
  for (let i = 0; i < samples.length; i++) {
    const before = now();
    samples[i] = now() - before;
  }
  return samples.sort()[samples.length >> 1];
}

/** CPU time of a thread in microseconds; Node 23.9 and later have it. */
type ThreadCpuUsage = (() => { user: number; system: number }) | undefined;

/**
 * CPU time that this thread has used, ns; null if the system does not report it. Linux updates it when a thread is
 * scheduled and at each tick: exact just after a sleep, up to 4 ms late otherwise.
 */
export function threadCpuTime(): number | null {
  const { threadCpuUsage } = process as { threadCpuUsage?: ThreadCpuUsage };
  if (threadCpuUsage !== undefined) {
    const { user, system } = threadCpuUsage();
    return (user + system) * 1e3;
  }
  try {
    // the first number is ns on a CPU, and 0 if the kernel does not count
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) || null;
  } catch {
    return null;
  }
}

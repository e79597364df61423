/** The clocks of the measurements, and what a look at the first of them costs. */
import { readFileSync } from "node:fs";

/** Now, in ns since this thread started. */
export const now = (): number => performance.now() * 1e6;

/** Cost of one {@link now} in ns: what is subtracted from a time between two of them. */
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
 * CPU time that this thread has used, ns; null where the system does not tell. Linux counts it when a
 * thread is put on its CPU and at each tick: exact just after a sleep, up to 4 ms late elsewhere.
 */
export function threadCpuTime(): number | null {
  const { threadCpuUsage } = process as { threadCpuUsage?: ThreadCpuUsage };
  if (threadCpuUsage !== undefined) {
    const { user, system } = threadCpuUsage();
    return (user + system) * 1e3;
  }
  try {
    // the first number is ns on a CPU, and 0 where the kernel does not count
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) || null;
  } catch {
    return null;
  }
}

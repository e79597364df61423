/** CPU time by the kernel's account: of this thread, its waits for a CPU, and of the whole process. */
import { readFileSync } from "node:fs";

/** All in ns, since the thread or the process began. */
export interface CpuTime {
  /** This thread has run so long. */
  readonly thread: number;
  /** It could have run, but no CPU was free. */
  readonly waiting: number;
  /** All threads of the process have run so long. */
  readonly process: number;
}

const nobody = new Int32Array(new SharedArrayBuffer(4));

/** Null where the kernel keeps no account of threads: it is Linux that has one. */
export function cpuTime(): CpuTime | null {
  // the account of a thread that runs is as old as the last tick: a sleep brings it up to date
  Atomics.wait(nobody, 0, 0, 0.1);
  let account: string;
  try {
    account = readFileSync("/proc/thread-self/schedstat", "utf8");
  } catch {
    return null;
  }
  const [thread, waiting] = account.split(" ").map(Number);
  const { user, system } = process.cpuUsage();
  return { thread, waiting, process: (user + system) * 1e3 };
}

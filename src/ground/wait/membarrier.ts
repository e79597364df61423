/**
 * A memory barrier on all threads of this process, run by one of them (native.ts): 1 to 2 us, so that the others
 * need none of their own.
 *
 * On Linux 4.14 and newer. Source: membarrier(2), the private expedited commands.
 */
import { native } from "../base/native/native.ts";
import { shield } from "../base/shield.ts";

/** The calls; null if native code, Linux or a supported processor is missing. */
export interface Membarrier {
  /** Once in a process, before the first {@link issue}; takes some 15 ms. Returns whether the system has barriers. */
  register(): boolean;
  /**
   * Every thread of the process passes a full barrier between the begin of this call and its end.
   * @returns false if it did not, as the process is not registered
   */
  issue(): boolean;
}

const SYS_MEMBARRIER: Readonly<Record<string, number>> = { x64: 324, arm64: 283, riscv64: 283, loong64: 283 };
const PRIVATE_EXPEDITED = 8;
const REGISTER_PRIVATE_EXPEDITED = 16;

let opened: Membarrier | null | undefined;

/** The calls of this thread, opened once; null if they are not available. */
export function membarrier(): Membarrier | null {
  if (opened === undefined) opened = shield(open);
  return opened;
}

function open(): Membarrier | null {
  const number = SYS_MEMBARRIER[process.arch];
  const k = process.platform === "linux" && number !== undefined ? native() : null;
  if (!k) return null;
  try {
    const syscall = k.load(null).func("long syscall(long number, int command, unsigned int flags, int cpu)");
    return {
      register: () => syscall(number, REGISTER_PRIVATE_EXPEDITED, 0, 0) === 0,
      issue: () => syscall(number, PRIVATE_EXPEDITED, 0, 0) === 0,
    };
  } catch {
    return null; // a libc without this function
  }
}

/**
 * Sleeping and waking by the kernel's futex (native.ts): a wake-up takes about 7 us, with Atomics.wait 22 us. Also
 * sched_yield, likewise.
 *
 * Works on words of shared memory of this process, on Linux. Source: futex(2).
 */
import { addressOf, native } from "../base/native/native.ts";
import { shield } from "../base/shield.ts";

/** The calls; null if native code, Linux or a supported processor is missing. */
export interface Futex {
  /** Sleeps while the word is `value`, at most `ms`; spurious wake-ups are possible. */
  wait(word: Int32Array, value: number, ms: number): void;
  /** Wakes the thread that sleeps on the word, if any. */
  wake(word: Int32Array): void;
  /** Yields this core to another ready thread. */
  yield(): void;
}

const SYS_FUTEX: Readonly<Record<string, number>> = { x64: 202, arm64: 98, riscv64: 98, loong64: 98 };
const FUTEX_WAIT_PRIVATE = 128;
const FUTEX_WAKE_PRIVATE = 129;

let opened: Futex | null | undefined;

/** The futex calls of this thread, opened once; null if they are not available. */
export function futex(): Futex | null {
  if (opened === undefined) opened = shield(open);
  return opened;
}

function open(): Futex | null {
  const number = SYS_FUTEX[process.arch];
  const k = process.platform === "linux" && number !== undefined ? native() : null;
  if (!k) return null;
  try {
    const libc = k.load(null);
    const syscall = libc.func("long syscall(long number, uintptr_t word, int op, int value, uintptr_t timeout)");
    const schedYield = libc.func("int sched_yield()");
    const timespec = new BigInt64Array(new SharedArrayBuffer(16));
    // addresses, not arrays: koffi takes a typed array in three times the time of its address
    const timespecAt = addressOf(timespec);
    return {
      wait(word, value, ms) {
        const ns = Math.min(Math.max(0, ms), 3_600_000) * 1e6;
        timespec[0] = BigInt(Math.floor(ns / 1e9));
        timespec[1] = BigInt(Math.floor(ns % 1e9));
        syscall(number, addressOf(word), FUTEX_WAIT_PRIVATE, value, timespecAt);
      },
      wake(word) {
        syscall(number, addressOf(word), FUTEX_WAKE_PRIVATE, 1, 0);
      },
      yield() {
        schedYield();
      },
    };
  } catch {
    return null; // a libc without these functions (musl has them, others may not): Atomics.wait is used
  }
}

/**
 * A timer that ends the process even if this thread is blocked: a call of MPI that never returns would keep the process
 * alive for ever.
 *
 *     struct sigevent   ┌──────────────────┬───────────────┬──────────────────┬──────────────┬──────────────┬────────┐
 *                       │ value, 64 bits   │ signo, 32     │ notify, 32       │ function, 64 │ attributes   │ unused │  64 bytes
 *                       └──────────────────┴───────────────┴──────────────────┴──────────────┴──────────────┴────────┘
 *
 * The C library calls `function(value)` in a thread of its own when the timer expires: here `_exit(code)`.
 *
 * Source: timer_create(2) and sigevent(7) of Linux, 64 bits.
 */
import { openLibrary, pointerOf } from "../../../ground/base/native/native.ts";

const CLOCK_MONOTONIC = 1;
const SIGEV_THREAD = 2;

/** Ends the process with an exit code after `seconds`. If the C library has no such timer, it does nothing. */
export function exitWithin(seconds: number, code: number): void {
  try {
    const libc = openLibrary("libc.so.6");
    const create = libc.func("int timer_create(int clock, void *event, void *timer)");
    const setTime = libc.func("int timer_settime(uint64_t timer, int flags, void *time, void *old)");
    const event = new DataView(new ArrayBuffer(64));
    event.setBigInt64(0, BigInt(code), true);
    event.setInt32(12, SIGEV_THREAD, true);
    event.setBigUint64(16, BigInt(pointerOf(libc.symbol("_exit", "void *"))), true);
    const timer = new BigUint64Array(1);
    if (create(CLOCK_MONOTONIC, new Uint8Array(event.buffer), timer) !== 0) return;
    // interval and value: seconds and nanoseconds each
    setTime(timer[0], 0, BigInt64Array.of(0n, 0n, BigInt(seconds), 0n), null);
  } catch {
    // another C library: then MPI alone determines when the process ends
  }
}

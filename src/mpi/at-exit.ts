/**
 * A function of a native library that is called at the very end of the process: by exit(3), after Node has ended all workers.
 *
 * Source: the C++ ABI of Itanium, section 3.3.6.3, `int __cxa_atexit(void (*f)(void *), void *p, void *d)`: what atexit(3) is made of,
 * and is no function of a shared library itself.
 */
import { koffi } from "../base/native.ts";

const RTLD_NOW = 2;

/** Calls the function that lies at `address` of the library `file` when the process exits; whether it will. */
export function callAtExit(file: string, address: number): boolean {
  try {
    const libc = koffi()?.load(null);
    if (!libc) return false;
    // koffi lets go of the library with the main thread's environment, which is before
    const open = libc.func("void *dlopen(const char *file, int flags)");
    if (open(file, RTLD_NOW) === null) return false;
    return libc.func("int __cxa_atexit(uintptr_t f, void *p, void *d)")(address, null, null) === 0;
  } catch {
    return false; // another C library
  }
}

/**
 * Registers a function of a native library to be called at the very end of the process: by exit(3), after Node has
 * ended all workers.
 *
 * Source: the Itanium C++ ABI, section 3.3.6.3, `int __cxa_atexit(void (*f)(void *), void *p, void *d)`, on which
 * atexit(3) is built; atexit itself is not exported by a shared library.
 */
import { native } from "../../ground/base/native/native.ts";
import { keepOpen } from "./keep-open.ts";

/** Registers the function at `address` of `file`, to be called at the process's exit; whether that succeeded. */
export function callAtExit(file: string, address: number): boolean {
  try {
    const libc = native()?.load(null);
    if (!libc || !keepOpen(file)) return false;
    return libc.func("int __cxa_atexit(uintptr_t f, void *p, void *d)")(address, null, null) === 0;
  } catch {
    return false; // another C library
  }
}

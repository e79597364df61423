/**
 * Keeps a native library open until the process has ended.
 *
 * koffi and Node.js close their libraries with the main thread's environment. A library may have threads of its own
 * that still run then: that of UCX, below MPICH, runs until MPI_Finalize, which is skipped (pmi.ts); its next event
 * would be handled by code that is no longer there.
 */
import { native } from "../../ground/base/native/native.ts";

const RTLD_NOW = 2;

/** Opens the library `file` once more, for good; returns whether that succeeded. */
export function keepOpen(file: string): boolean {
  try {
    const open = native()?.load(null).func("void *dlopen(const char *file, int flags)");
    return open !== undefined && open(file, RTLD_NOW) !== null;
  } catch {
    return false; // another C library
  }
}

/** The operating system's error of the last failed call. */
import { getSystemErrorName } from "node:util";
import { koffi } from "../../base/native.ts";

/** ` (EINVAL)`, by errno; empty if errno is not set. Call it right after the failing call. */
export function failure(): string {
  const errno = koffi()?.errno() ?? 0;
  return errno > 0 ? ` (${getSystemErrorName(-errno)})` : "";
}

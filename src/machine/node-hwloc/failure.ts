/** What the operating system said of the last call that failed. */
import { getSystemErrorName } from "node:util";
import { koffi } from "../../base/native.ts";

/** ` (EINVAL)`, by errno; empty where errno tells nothing. Call it straight after the failing call. */
export function failure(): string {
  const errno = koffi()?.errno() ?? 0;
  return errno > 0 ? ` (${getSystemErrorName(-errno)})` : "";
}

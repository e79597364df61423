/** koffi, which calls libhwloc, and the operating system's error of the last call. */
import { existsSync } from "node:fs";
import nodeModule from "node:module";
import { getSystemErrorName } from "node:util";
import { HwlocError, type HwlocErrorCode, NoHwlocError } from "./errors.js";

type Koffi = typeof import("koffi");

let loaded: Koffi | undefined;

/**
 * koffi, loaded by the first call: it is native code, and who only formats CPU lists needs none. @throws NoHwlocError
 */
export function koffi(): Koffi {
  try {
    // webpack would replace createRequire imported by its name; a bundle that is CommonJS has no URL
    loaded ??= nodeModule.createRequire(import.meta.url ?? process.argv[1])(koffiFile()) as Koffi;
  } catch (cause) {
    throw new NoHwlocError(
      `Cannot use libhwloc: koffi cannot be loaded: ${firstLine(cause)}. Install it with: npm install koffi@2.16.3`,
      { cause },
    );
  }
  return loaded;
}

/** The error after a call of libhwloc has failed: `what` (EINVAL). `remedy`. Make it right after the call. */
export function failure(code: HwlocErrorCode, what: string, remedy = ""): HwlocError {
  const errno = koffi().errno();
  const systemError = errno > 0 ? getSystemErrorName(-errno) : undefined;
  const because = systemError === undefined ? "" : ` (${systemError})`;
  return new HwlocError(code, `${what}${because}.${remedy === "" ? "" : ` ${remedy}`}`, { systemError });
}

/** koffi 2.16.3 takes its code for glibc first: musl on arm64 loads that too, and may crash in it. */
function koffiFile(): string {
  const isMusl = existsSync("/lib/ld-musl-aarch64.so.1") && !existsSync("/lib/ld-linux-aarch64.so.1");
  return process.arch === "arm64" && isMusl ? "koffi/build/koffi/musl_arm64/koffi.node" : "koffi";
}

const firstLine = (error: unknown): string => String((error as Error).message).split("\n")[0] as string;

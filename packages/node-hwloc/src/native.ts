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
    loaded ??= load();
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

/**
 * Its own way loads the HTTP client of Node.js before the native code, which takes four times as long; and it takes the
 * code for glibc first, which musl on arm64 loads too, and may crash in it.
 */
function load(): Koffi {
  // webpack would replace createRequire imported by its name; a bundle that is CommonJS has no URL
  const require = nodeModule.createRequire(import.meta.url ?? process.argv[1]);
  const isMusl =
    process.arch === "arm64" && existsSync("/lib/ld-musl-aarch64.so.1") && !existsSync("/lib/ld-linux-aarch64.so.1");
  try {
    return require(`koffi/build/koffi/${isMusl ? "musl" : process.platform}_${process.arch}/koffi.node`) as Koffi;
  } catch {
    return require("koffi") as Koffi; // another libc or system
  }
}

const firstLine = (error: unknown): string => String((error as Error).message).split("\n")[0] as string;

/** koffi, which calls libhwloc, and the operating system's error of the last call. */
import { existsSync } from "node:fs";
import nodeModule from "node:module";
import { getSystemErrorName } from "node:util";
import { HwlocError, type HwlocErrorCode, NoHwlocError } from "./errors.js";

type Koffi = typeof import("koffi");

let loaded: Koffi | undefined;

/** koffi, loaded by the first call: it is native code, and who only formats CPU lists needs none. @throws NoHwlocError */
export function koffi(): Koffi {
  try {
    // webpack would replace createRequire imported by its name; a bundle that is CommonJS has no URL
    loaded ??= load(nodeModule.createRequire(import.meta.url ?? process.argv[1]));
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

/** By processor of Linux: koffi's kinds of code for it, and the loader of each, which is there where it runs. */
const LOADERS: Readonly<Record<string, readonly (readonly [kind: string, loader: string])[]>> = {
  x64: [["linux_x64", "/lib64/ld-linux-x86-64.so.2"]],
  arm64: [
    ["linux_arm64", "/lib/ld-linux-aarch64.so.1"],
    ["musl_arm64", "/lib/ld-musl-aarch64.so.1"],
  ],
};

/**
 * koffi's code by itself, where that is known: its module loads node:https besides, which takes 6 ms; and koffi 2.16.3 takes
 * its code for glibc first: musl on arm64 loads that too, and may crash in it.
 */
function load(require: NodeJS.Require): Koffi {
  const kinds = process.platform === "linux" ? LOADERS[process.arch] : undefined;
  const found = kinds?.find(([, loader]) => existsSync(loader));
  try {
    if (found !== undefined) return require(`koffi/build/koffi/${found[0]}/koffi.node`) as Koffi;
  } catch {
    // not installed, or with other files: told by what is tried now
  }
  return require("koffi") as Koffi;
}

const firstLine = (error: unknown): string => String((error as Error).message).split("\n")[0] as string;

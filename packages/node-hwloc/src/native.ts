/** koffi, which calls libhwloc, and the operating system's error of the last call. */
import nodeModule from "node:module";
import { getSystemErrorName } from "node:util";
import { HwlocError, type HwlocErrorCode, NoHwlocError } from "./errors.js";

type Koffi = typeof import("koffi");

let loaded: Koffi | undefined;

/** koffi, loaded by the first call: it is native code, and who only formats CPU lists needs none. @throws NoHwlocError */
export function koffi(): Koffi {
  try {
    // webpack would replace createRequire imported by its name; a bundle that is CommonJS has no URL
    loaded ??= nodeModule.createRequire(import.meta.url ?? process.argv[1])("koffi") as Koffi;
  } catch (cause) {
    throw new NoHwlocError(
      `Cannot use libhwloc: koffi cannot be loaded: ${firstLine(cause)}. Install it with: npm install koffi`,
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

const firstLine = (error: unknown): string => String((error as Error).message).split("\n")[0] as string;

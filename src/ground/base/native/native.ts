/**
 * The only module that loads native code: koffi, an optional dependency, or the calls that Node.js has itself from 26.1
 * on (node-ffi.ts), as TUNDISH_NATIVE says.
 *
 * Calls run on the calling thread, so every function below that concerns "this thread" also works in workers. koffi's
 * `.async` calls run on threads of koffi's own and are never used. Opening a library and declaring its functions must
 * be shielded (shield.ts): if the thread ended in between, the process would abort.
 */
import { existsSync } from "node:fs";
import { NativeError } from "../errors.ts";
import { requireHere } from "../package-file.ts";
import { setting } from "../settings.ts";
import { shield } from "../shield.ts";
import { Late } from "../thread/late.ts";
import type { Library, Native } from "./calls.ts";

/** Advice where koffi is missing. Of that version, as others leak or crash where threads end (docs/platforms.md). */
export const INSTALL_KOFFI = "Install it with: npm install koffi@2.16.3";

const MUSL_LOADER = "/lib/ld-musl-aarch64.so.1";
const GLIBC_LOADER = "/lib/ld-linux-aarch64.so.1";

const nodes: Late<typeof import("./node-ffi.ts")> = new Late(
  "./node-ffi.js",
  import.meta.url,
  () => import("./node-ffi.ts"),
);
let loaded: Native | null | undefined;

/** Calls of native code; null where they are not installed, not in this Node.js, or switched off. */
export function native(): Native | null {
  if (loaded === undefined) {
    const way = setting("native");
    loaded = null;
    try {
      if (way !== "off") loaded = shield(way === "node" ? () => nodes.now.nodeNative() : koffi);
    } catch {
      // optional: `doctor` reports its absence
    }
  }
  return loaded;
}

/**
 * Loads koffi. Its own way loads the HTTP client of Node.js before the native code, which takes four times as long, in
 * each thread; and it takes the code for glibc first, which musl on arm64 loads too, and may crash in it.
 */
function koffi(): Native {
  const require = requireHere(import.meta.url);
  const isMusl = process.arch === "arm64" && existsSync(MUSL_LOADER) && !existsSync(GLIBC_LOADER);
  try {
    const place = `${isMusl ? "musl" : process.platform}_${process.arch}`;
    return require(`koffi/build/koffi/${place}/koffi.node`) as Native;
  } catch {
    return require("koffi") as Native; // for another libc or system, or a bundle that has moved the file
  }
}

/** Opens a shared library. @throws NativeError with its name, if native code is missing or it cannot be loaded */
export function openLibrary(name: string): Library {
  try {
    const calls = needed();
    return shield(() => calls.load(name));
  } catch (cause) {
    throw new NativeError(`Cannot open ${name}: ${(cause as Error).message}`, { cause });
  }
}

/** The address of the first byte of a memory; 0 for an empty one. @throws NativeError without native code */
export const addressOf = (memory: ArrayBufferView): number => (memory.byteLength === 0 ? 0 : pointerOf(memory));

/** The address that a symbol has, or where a memory begins. @throws NativeError without native code */
export const pointerOf = (pointer: unknown): number => Number(needed().address(pointer));

function needed(): Native {
  const calls = native();
  if (calls !== null) return calls;
  throw new NativeError(
    `native code cannot be called: koffi is not installed here or TUNDISH_NATIVE=off. ${INSTALL_KOFFI}`,
  );
}

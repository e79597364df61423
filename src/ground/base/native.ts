/**
 * The only module that loads native code: koffi, an optional dependency.
 *
 * koffi calls run on the calling thread, so every function below that concerns "this thread" also works in workers.
 * koffi's `.async` calls run on threads of koffi's own and are never used. Opening a library and declaring its
 * functions must be shielded (shield.ts): if the thread ended in between, the process would abort.
 */
import { existsSync } from "node:fs";
import { NativeError } from "./errors.ts";
import { requireHere } from "./package-file.ts";
import { setting } from "./settings.ts";
import { shield } from "./shield.ts";

type Koffi = typeof import("koffi") & { readonly version: string };
/** A library that koffi has opened. */
export type Library = ReturnType<Koffi["load"]>;

/** Advice where koffi is missing. Of that version, as others leak or crash where threads end (docs/platforms.md). */
export const INSTALL_KOFFI = "Install it with: npm install koffi@2.16.3";

const MUSL_LOADER = "/lib/ld-musl-aarch64.so.1";
const GLIBC_LOADER = "/lib/ld-linux-aarch64.so.1";

let loaded: Koffi | null | undefined;

/** koffi, or null if it is not installed or TUNDISH_NATIVE=off. */
export function koffi(): Koffi | null {
  if (loaded === undefined) {
    const off = setting("native") === "off";
    loaded = null;
    if (!off) {
      try {
        loaded = shield(load);
      } catch {
        // optional dependency: `doctor` reports its absence
      }
    }
  }
  return loaded;
}

/**
 * Loads koffi. Its own way loads the HTTP client of Node.js before the native code, which takes four times as long, in
 * each thread; and it takes the code for glibc first, which musl on arm64 loads too, and may crash in it.
 */
function load(): Koffi {
  const require = requireHere(import.meta.url);
  const isMusl = process.arch === "arm64" && existsSync(MUSL_LOADER) && !existsSync(GLIBC_LOADER);
  try {
    const place = `${isMusl ? "musl" : process.platform}_${process.arch}`;
    return require(`koffi/build/koffi/${place}/koffi.node`) as Koffi;
  } catch {
    return require("koffi") as Koffi; // for another libc or system, or a bundle that has moved the file
  }
}

/** Opens a shared library. @throws NativeError with its name, if koffi is missing or it cannot be loaded */
export function openLibrary(name: string): Library {
  const k = koffi();
  if (!k) {
    throw new NativeError(`Cannot open ${name}: koffi is not installed here or TUNDISH_NATIVE=off. ${INSTALL_KOFFI}`);
  }
  try {
    return shield(() => k.load(name));
  } catch (cause) {
    throw new NativeError(`Cannot open ${name}: ${(cause as Error).message}`, { cause });
  }
}

/** The address of the first byte of a memory; 0 for an empty one. @throws NativeError if koffi is missing */
export const addressOf = (memory: ArrayBufferView): number => (memory.byteLength === 0 ? 0 : pointerOf(memory));

/** The address that a pointer from a library has, or where a memory begins. @throws NativeError if koffi is missing */
export function pointerOf(pointer: unknown): number {
  const k = koffi();
  if (!k)
    throw new NativeError(`Cannot determine the address of memory: koffi is not installed here. ${INSTALL_KOFFI}`);
  return Number(k.address(pointer));
}

/**
 * The only module that loads native code: koffi, an optional dependency.
 *
 * koffi calls run on the calling thread, so every function below that concerns "this thread" also works in workers.
 * koffi's `.async` calls run on threads of koffi's own and are never used. Opening a library and declaring its
 * functions must be shielded (shield.ts): if the thread ended in between, the process would abort.
 */
import type { LibraryHandle } from "koffi";
import { NativeError } from "./errors.ts";
import { requireHere } from "./package-file.ts";
import { setting } from "./settings.ts";
import { shield } from "./shield.ts";

type Koffi = typeof import("koffi");

let loaded: Koffi | null | undefined;

/** koffi, or null if it is not installed or TUNDISH_NATIVE=off. */
export function koffi(): Koffi | null {
  if (loaded === undefined) {
    const off = setting("native") === "off";
    loaded = null;
    if (!off) {
      try {
        loaded = shield(() => requireHere(import.meta.url)("koffi") as Koffi);
      } catch {
        // optional dependency: `doctor` reports its absence
      }
    }
  }
  return loaded;
}

/**
 * Opens a shared library.
 * @throws NativeError if koffi is missing or the library cannot be loaded; the message names the library
 */
export function openLibrary(name: string): LibraryHandle {
  const k = koffi();
  if (!k) {
    throw new NativeError(
      `Cannot open ${name}: koffi is not installed here or TUNDISH_NATIVE=off. Install it with: npm install koffi`,
    );
  }
  try {
    return shield(() => k.load(name));
  } catch (cause) {
    throw new NativeError(`Cannot open ${name}: ${(cause as Error).message}`, { cause });
  }
}

/** The address of the first byte of a memory; 0 for an empty one. @throws NativeError if koffi is missing */
export function addressOf(memory: Uint8Array): number {
  const k = koffi();
  if (!k)
    throw new NativeError(
      "Cannot determine the address of memory: koffi is not installed here. Install it with: npm install koffi",
    );
  return memory.length === 0 ? 0 : Number(k.address(memory));
}

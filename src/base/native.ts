/**
 * The one door to native code: koffi, an optional dependency, opened only here.
 *
 * koffi calls act on the calling thread, so every function below that concerns "this thread"
 * does so for workers too. koffi's `.async` calls run on threads of its own and are never used.
 * Who opens a library and declares its functions does so shielded (shield.ts): cut by the end of the thread, it would abort.
 */
import { createRequire } from "node:module";
import type { LibraryHandle } from "koffi";
import { NativeError } from "./errors.ts";
import { setting } from "./settings.ts";
import { shield } from "./shield.ts";

type Koffi = typeof import("koffi");

let loaded: Koffi | null | undefined;

/** koffi, or null where it is not installed or is switched off by TUNDISH_NATIVE. */
export function koffi(): Koffi | null {
  if (loaded === undefined) {
    const off = setting("native") === "off";
    loaded = null;
    if (!off) {
      try {
        loaded = shield(() => createRequire(import.meta.url)("koffi") as Koffi);
      } catch {
        // an optional dependency: its absence is told by `doctor`, not here
      }
    }
  }
  return loaded;
}

/**
 * Opens a shared library.
 * @throws NativeError when koffi is missing or the library cannot be loaded; the message names it.
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

/** The address of the first byte of some memory; 0 for none. @throws NativeError when koffi is missing */
export function addressOf(memory: Uint8Array): number {
  const k = koffi();
  if (!k) throw new NativeError("Cannot find where memory lies: koffi is not installed here.");
  return memory.length === 0 ? 0 : Number(k.address(memory));
}

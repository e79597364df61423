/** Compiles WebAssembly that is shipped with the package. */
import { readFileSync } from "node:fs";
import { EnvironmentError } from "../../base/errors.ts";
import { sibling } from "../../base/package-file.ts";
import { type WasmModule, wasm } from "./webassembly.ts";

/** A file of WebAssembly, whose content dist/lib has in its code: bundlers do not copy files. */
export interface WasmFile {
  /** The module that needs it. */
  readonly from: string;
  readonly name: string;
  /** Where it is built, seen from the source of that module. */
  readonly built: string;
  /** Its content, for messages. */
  readonly what: string;
  /** The same as base64: in dist/lib only. */
  text(): string;
}

/** The name of this file in dist/lib; defined by scripts/build/lib.mjs only. */
declare const TUNDISH_FILE: string | undefined;

/** Compiled modules by the name of their file. */
export type WasmModules = Readonly<Record<string, WasmModule>>;

const compiled = new Map<string, WasmModule>();

function bytesOf({ from, name, built, text }: WasmFile): Uint8Array {
  if (typeof TUNDISH_FILE !== "undefined") return Buffer.from(text(), "base64");
  return readFileSync(sibling(from.endsWith(".ts") ? `${built}${name}` : `./${name}`, from));
}

/**
 * The module of a file; a thread that was not given it ({@link provideModules}) compiles it once.
 * @throws EnvironmentError if it is missing or cannot be compiled
 */
export function compileFile(file: WasmFile): WasmModule {
  const before = compiled.get(file.name);
  if (before !== undefined) return before;
  try {
    const module = new wasm.Module(bytesOf(file));
    compiled.set(file.name, module);
    return module;
  } catch (cause) {
    throw new EnvironmentError(
      `Expected ${file.what} in ${file.name}, got: ${(cause as Error).message}. ` +
        "If a checkout lacks the file, build it (npm run build). If it does not compile, this CPU or this mode of " +
        "Node.js (--jitless) lacks WebAssembly or its SIMD.",
      { cause },
    );
  }
}

/** Compiles files on threads of V8, for this thread and all that get the result. Rejects if one cannot be. */
export async function compileAhead(files: readonly WasmFile[]): Promise<WasmModules> {
  const modules = await Promise.all(files.map(async (file) => [file.name, await wasm.compile(bytesOf(file))] as const));
  const byName = Object.fromEntries(modules);
  provideModules(byName);
  return byName;
}

/** Gives this thread modules that another one has compiled: all threads of a process share their code. */
export function provideModules(modules: WasmModules): void {
  for (const [name, module] of Object.entries(modules)) compiled.set(name, module);
}

/** A name of the kernels of a heap, for messages. */
export const KERNELS = "WebAssembly kernels with SIMD and threads";

/** Compiles WebAssembly that is shipped with the package. */
import { readFileSync } from "node:fs";
import { EnvironmentError } from "../../base/errors.ts";
import { sibling } from "../../base/package-file.ts";
import { type WasmModule, wasm } from "./webassembly.ts";

/**
 * Compiles a file; each thread does so once.
 * @param from the module that needs it: built, the file is beside it, or at `built` beside its source
 * @param what is in it, for messages
 * @throws EnvironmentError if it is missing or cannot be compiled
 */
export function compileFile(from: string, name: string, built: string, what: string): WasmModule {
  const file = sibling(from.endsWith(".ts") ? `${built}${name}` : `./${name}`, from);
  try {
    return new wasm.Module(readFileSync(file));
  } catch (cause) {
    throw new EnvironmentError(
      `Expected ${what} in ${file.href}, got: ${(cause as Error).message}. ` +
        "If the file is missing, build it (npm run build). If it does not compile, this CPU or this mode of " +
        "Node.js (--jitless) lacks WebAssembly or its SIMD.",
      { cause },
    );
  }
}

/** What the kernels of a heap are, for messages. */
export const KERNELS = "WebAssembly kernels with SIMD and threads";

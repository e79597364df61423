/** The kernel state.c: built with clang, or as it is in the checkout. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnvironment, which } from "../../../../packages/tundish-bench/src/peers/tools.ts";
import { root } from "../../../support/paths.ts";

/** What it exports. */
export interface State {
  count(): number;
  callsHere(): number;
  number(i: number): number;
  constructedTimes7(): number;
  apply(i: number, x: number): number;
  onStack(x: number, rounds: number): number;
}

const source = (name: string): string => join(root, "test/facilities/kernel/support", name);

/** The bytes in the checkout. */
export const built = (): Uint8Array => readFileSync(source("state.wasm"));

/** The command line of docs/kernels.md. */
export const CLANG: readonly string[] = [
  "--target=wasm32-unknown-emscripten",
  ..."-O3 -msimd128 -matomics -mbulk-memory -mmutable-globals -ftls-model=local-exec -fPIC -fvisibility=hidden".split(
    " ",
  ),
  "-nostdlib",
  "-Wl,-shared,--experimental-pic,--import-memory,--shared-memory,--max-memory=4294967296,--no-entry",
  "-Wl,--export-if-defined=__wasm_init_tls,--export-if-defined=__tls_size,--export-if-defined=__tls_align",
  "-Wl,--export-if-defined=__wasm_call_ctors",
];

/** Why C cannot be built for WebAssembly here; null where it can. */
export const whyNoClang = (): string | null =>
  which("clang", process.env) === null || which("wasm-ld", process.env) === null
    ? "no clang with lld in PATH (apt-get install clang lld)"
    : null;

/** Builds C. @param options beside {@link CLANG}, or instead of it */
export function compileC(path: string, options: readonly string[] = CLANG): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "tundish-kernel-"));
  try {
    const out = join(folder, "out.wasm");
    execFileSync("clang", [...options, "-o", out, path], { env: cleanEnvironment(process.env) });
    return readFileSync(out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Built now. */
export const rebuilt = (): Uint8Array => compileC(source("state.c"));

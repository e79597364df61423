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

/** The options that docs/kernels.md names. */
const OPTIONS = join(root, "examples/kernels/wasm32.txt");

/** Why C cannot be built for WebAssembly here; null where it can. */
export const whyNoClang = (): string | null =>
  which("clang", process.env) === null || which("wasm-ld", process.env) === null
    ? "no clang with lld in PATH (apt-get install clang lld)"
    : null;

/** Built now. */
export function rebuilt(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "tundish-kernel-"));
  try {
    const out = join(folder, "state.wasm");
    execFileSync(which("clang", process.env) as string, [`@${OPTIONS}`, "-o", out, source("state.c")], {
      env: cleanEnvironment(process.env),
    });
    return readFileSync(out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

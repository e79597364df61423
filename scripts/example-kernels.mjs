// Builds examples/kernels/*.wasm, which are in the repository: AssemblyScript by its compiler, C by clang with lld (Debian:
// apt-get install clang lld); and where their compilers are, Rust (rustc libstd-rust-dev-wasm32, lld) and Zig (0.11). Tests
// build them again and compare what they do.
//
//   node scripts/example-kernels.mjs [FOLDER]     into this folder. Default: where they are
//
// RUSTC and ZIG name the compilers, if they are not the ones in PATH.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const kernels = join(root, "examples/kernels");
const folder = process.argv[2] ?? kernels;
const { RUSTC = "rustc", ZIG = "zig" } = process.env;

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** What a command prints; nothing if there is none. */
const said = (command, ...args) => spawnSync(command, args, { encoding: "utf8" }).stdout?.trim() ?? "";

const asc = join(root, "node_modules/assemblyscript/bin/asc.js");
const config = join(kernels, "assembly/asconfig.json");
const assembly = join(kernels, "assembly/index.ts");
run(process.execPath, asc, assembly, "--outFile", join(folder, "matrix-assemblyscript.wasm"), "--config", config);
run("clang", `@${join(kernels, "wasm32.txt")}`, "-o", join(folder, "matrix-c.wasm"), join(kernels, "matrix.c"));

if (existsSync(said(RUSTC, "--print", "target-libdir", "--target", "wasm32-unknown-unknown"))) {
  run(RUSTC, `@${join(kernels, "rust.txt")}`, "-o", join(folder, "matrix-rust.wasm"), join(kernels, "matrix.rs"));
}

if (said(ZIG, "version").startsWith("0.11.")) {
  const work = mkdtempSync(join(tmpdir(), "tundish-zig-"));
  const words = [`@${join(kernels, "zig.txt")}`, "--global-cache-dir", work, "--cache-dir", work];
  run(ZIG, "build-lib", ...words, `-femit-bin=${join(work, "matrix.wasm")}`, join(kernels, "matrix.zig"));
  copyFileSync(join(work, "matrix.wasm"), join(folder, "matrix-zig.wasm"));
  rmSync(work, { recursive: true });
}
